import * as z from 'zod/mini'
import { instalmentStatuses, loanStatuses } from '#domain/loans.ts'
import { amount } from './amount.ts'
import { day } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

export const loan = z.object({
  lan: z.string(),
  loan_status: z.enum(loanStatuses),
  sanctioned_amount: amount,
  disbursed_amount: amount,
  /** Percent a year. */
  interest_rate: z.number(),
  /** Only of a loan whose rate follows a benchmark: it can have rate resets. */
  rate_type: z.optional(z.literal('floating')),
  emi_amount: amount,
  dues: amount,
  dpd: z.int(),
  due_date: z.nullable(day),
  number_of_emis_paid: z.int(),
  number_of_emis_due: z.int(),
  lead_id: z.nullable(z.string()),
  partner_loan_id: z.nullable(z.string()),
  max_tranche_amount: z.nullable(amount),
  allow_tranche_request: z.boolean(),
  /** The rest is not in the specification. */
  title: z.string(),
  principal_outstanding: amount,
  principal_paid: amount,
  /** Principal that the lender waived. Absent: none. */
  principal_waived: z.optional(amount),
  interest_paid: amount,
  /**
   * The next EMI and the due date from which it applies, if a part payment or tranche changed it;
   * else null.
   */
  next_emi: z.nullable(z.object({ amount, from: day })),
  /** Received money that nothing is due for yet. */
  credit_amount: amount,
  last_due_date: z.nullable(day),
  /**
   * The day of the month on which the coming instalments fall due; 31 is the last. Optional,
   * because an open page can still ask a server of the version before.
   */
  due_day: z.optional(z.int()),
  /** The day of the first disbursal. Absent before it, and from a server of the version before. */
  disbursed_on: z.optional(day),
  /** The day on which the last of a closed loan was settled; null for another loan. */
  closed_on: z.nullable(day),
  /**
   * Percent a year with fees, of the loan as sanctioned (decision 51). Null if its plan is not
   * known.
   */
  annual_percentage_rate: z.nullable(z.number()),
  upfront_fees: amount,
  /**
   * How a moratorium ends, until the first EMI falls due: the last row of interest only, the first
   * EMI, and the deferred interest that is added to principal. Absent without a moratorium.
   */
  emi_start: z.optional(
    z.object({
      last_pre_emi: z.nullable(z.object({ due_date: day, amount })),
      first_emi: z.object({ due_date: day, amount }),
      capitalised: z.nullable(z.object({ date: day, amount })),
    }),
  ),
  /** The business date of the figures. */
  as_of: day,
})
export type Loan = z.output<typeof loan>

/** The borrower's loans, the latest sanction first. */
export const readLoansSummary = endpoint({
  method: 'GET',
  path: '/portal/loans-summary',
  access: 'session',
  summary: 'The loans of the borrower',
  response: z.object({ loans: z.array(loan) }),
})

export const scheduleRow = z.object({
  due_date: day,
  repayment_amount: amount,
  principal_amount: z.optional(amount),
  interest_amount: z.optional(amount),
  total_charges: z.array(z.object({ charge_type: z.string(), total_pending_amount: amount })),
  closing_balance: z.optional(amount),
  status: z.enum(instalmentStatuses),
  /**
   * Not in the specification: the number in the schedule from 1, and what is left to pay with
   * charges.
   */
  number: z.int(),
  pending_amount: amount,
})
export type ScheduleRow = z.output<typeof scheduleRow>

/** The parts of an offered amount. Not in the specification. */
const parts = z.object({ principal: amount, interest: amount, charges: amount, tax: amount })
export type AmountParts = z.output<typeof parts>

/** Not in the specification: the amount is more than one payment link may carry. */
const isLimited = z.optional(z.boolean())

export const allowedPayments = z.object({
  /** Not in the specification: the day of the amounts, from 23:30 on that after today. */
  quoted_for: z.optional(day),
  overdue_payment: z.object({ amount, dpd: z.int(), parts, isLimited }),
  next_emi_payment: z.optional(z.object({ amount, due_date: day, parts, isLimited })),
  foreclosure_payment: z.optional(z.object({ amount, isLimited: z.boolean(), parts })),
  /** Not in the specification: `isLimited`, the maximum is that of one payment link. */
  part_payment: z.object({ min_allowed_amount: amount, max_allowed_amount: amount, isLimited }),
})
export type AllowedPayments = z.output<typeof allowedPayments>

/** The instalments in the order of due dates, and what can be paid now (decisions 34, 35). */
export const readRepaymentSchedule = endpoint({
  method: 'GET',
  path: '/portal/repayment-schedule',
  access: 'session',
  summary: 'The repayment schedule of a loan, and what may be paid now',
  query: z.object({ lead_id: identifier }),
  response: z.object({ repayment_schedule: z.array(scheduleRow), allowed_payments: allowedPayments }),
  errors: ['NotFound'],
})
