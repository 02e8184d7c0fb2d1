import { mandateMethods } from '#domain/autopay.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { Brand } from './brand.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'

/**
 * Rupees: the largest debit by UPI without the PIN, which nobody would enter at a debit announced
 * ahead (Reserve Bank, e-mandate framework of 21 April 2026).
 */
const upiDebitMaximumRupees = 15_000

/** Without a setting only the demo offers autopay: the lender's account must be enabled for it. */
export function buildAutopayConfig(values: Settings, demo: boolean, { lender, holidays }: Brand): Config['autopay'] {
  const methods = values.KIST_AUTOPAY_METHODS?.split(',') ?? (demo ? mandateMethods : [])
  return {
    rules: {
      methods: mandateMethods.filter((method) => methods.includes(method)),
      upiDebitMaximumPaise: rupeesToPaise(upiDebitMaximumRupees),
      upiMandateMaximumPaise: rupeesToPaise(lender.upi_mandate_max),
    },
    email: lender.support.email,
    namesTokenInOrders: values.KIST_AUTOPAY_ORDER_TOKEN,
    holidays,
  }
}
