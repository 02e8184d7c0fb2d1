import type { PaymentLink } from '#contract/payments.ts'
import { dayInIndia } from '#domain/calendar.ts'

/** The day in India on which a link was paid, or else created. */
export const getPaidDay = (link: PaymentLink) => dayInIndia(link.paid_at ?? link.created_at)
