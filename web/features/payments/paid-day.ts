import type { PaymentLink } from '#contract/payments.ts'
import { toIndiaDay } from '#web/ui/format.ts'

/** The day in India on which a link was paid, or else created. */
export const getPaidDay = (link: PaymentLink) => toIndiaDay(link.paid_at ?? link.created_at)
