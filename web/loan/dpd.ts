/** Days past due in the three colours of spec §9. */
type DpdTone = 'positive' | 'caution' | 'danger'

export function getDpdTone(dpd: number): DpdTone {
  return dpd <= 0 ? 'positive' : getLateTone(dpd)
}

/** The colour of everything late on a loan: badge, bars, rows. */
export const getLateTone = (dpd: number): 'caution' | 'danger' => (dpd <= 30 ? 'caution' : 'danger')
