import type { AllowedPayments, ScheduleRow } from '#contract/loans.ts'
import type { PaymentLink } from '#contract/payments.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, zeroPaise } from '#domain/money.ts'

// Values for the tests of this feature.

const parts = { principal: paise(1_376_945n), interest: paise(1_124_955n), charges: zeroPaise, tax: zeroPaise }

export const allowed: AllowedPayments = {
  overdue_payment: { amount: zeroPaise, dpd: 0, parts: { ...parts, principal: zeroPaise, interest: zeroPaise } },
  next_emi_payment: { amount: paise(2_501_900n), due_date: '2026-12-05' as Day, parts },
  foreclosure_payment: { amount: paise(120_549_975n), isLimited: true, parts },
  part_payment: { min_allowed_amount: paise(2_501_900n), max_allowed_amount: paise(117_493_303n) },
}

export function link(changes: Partial<PaymentLink> = {}): PaymentLink {
  return {
    payment_link_id: 'plink_QxT4m8Zr2LdKs1',
    payment_id: null,
    amount: paise(2_501_900n),
    purpose: 'PAY_EMI',
    status: 'created',
    created_at: new Date('2026-11-20T05:12:00Z'),
    redirect_url: 'https://pay.example/plink_QxT4m8Zr2LdKs1',
    rps_updated: false,
    expires_at: new Date('2026-11-20T18:29:00Z'),
    paid_at: null,
    method: null,
    bank_reference: null,
    ...changes,
  }
}

export function row(number: number, changes: Partial<ScheduleRow> = {}): ScheduleRow {
  return {
    number,
    due_date: `2026-${String(number).padStart(2, '0')}-05` as Day,
    repayment_amount: paise(2_501_900n),
    principal_amount: paise(1_376_945n),
    interest_amount: paise(1_124_955n),
    total_charges: [],
    closing_balance: paise(100_000_000n),
    status: 'Due',
    pending_amount: paise(2_501_900n),
    ...changes,
  }
}
