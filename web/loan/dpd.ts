/** Days past due in the three colours of spec §9. */
type DpdTone = 'positive' | 'caution' | 'danger'

export function getDpdTone(dpd: number): DpdTone {
  if (dpd <= 0) return 'positive'
  return dpd <= 30 ? 'caution' : 'danger'
}
