/** The classes of overdue loans (RBI, clarification of the IRACP norms, 12 November 2021). */
type SpecialMentionClass = 'SMA-0' | 'SMA-1' | 'SMA-2' | 'NPA'

/**
 * The class of a loan by its days past due at the end of a day. The due date itself is day 1
 * (decision 22). Null if nothing is overdue.
 */
export function specialMentionClass(dpd: number): SpecialMentionClass | null {
  if (dpd <= 0) return null
  if (dpd <= 30) return 'SMA-0'
  if (dpd <= 60) return 'SMA-1'
  return dpd <= 90 ? 'SMA-2' : 'NPA'
}
