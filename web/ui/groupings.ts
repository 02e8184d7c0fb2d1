import { amountText, phoneDigits } from './digits.ts'
import type { Grouping } from './grouped-text.ts'

/** '98765 43210'. */
export const phoneGrouping: Grouping = {
  read: phoneDigits,
  show: (value) => (value.length > 5 ? `${value.slice(0, 5)} ${value.slice(5)}` : value),
}

/** '25,019.5', grouped the Indian way. */
export const amountGrouping: Grouping = {
  read: amountText,
  show: (value) => {
    const [whole = '', decimals] = value.split('.')
    const rupees = whole === '' ? '' : new Intl.NumberFormat('en-IN').format(BigInt(whole))
    return decimals === undefined ? rupees : `${rupees}.${decimals}`
  },
}

export const wholeRupeesGrouping: Grouping = { ...amountGrouping, read: (text) => amountText(text).split('.')[0] ?? '' }
