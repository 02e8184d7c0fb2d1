import {
  both,
  day,
  exactly,
  flag,
  instant,
  listOf,
  matching,
  nullable,
  number,
  object,
  oneOf,
  optional,
  rupees,
  text,
  webAddress,
  wholeNumber,
  type Shape,
} from './shape.ts'

/**
 * The entities of the specification (§3), every field that it names by type, and every list of
 * values.
 */

export const user = object({
  user_id: text,
  email: nullable(text),
  phone: nullable(matching(/^\+\d{11,13}$/)),
  pan: nullable(text),
  metadata: object({
    first_name: text,
    last_name: text,
    phone: nullable(text),
    email: nullable(text),
    email_verified: flag,
    pan: nullable(text),
    is_ongoing_application: flag,
  }),
})

/** The claims of a bearer token; `roles` is a list or a text with commas. */
export const claims = object({
  sub: text,
  exp: wholeNumber,
  roles: (value, at) => (typeof value === 'string' ? [] : listOf(text)(value, at)),
  assumed_user_id: optional(nullable(text)),
})

export const permission = oneOf(
  'payment_link:create',
  'payment_link:update',
  'user:assume',
  'loan:update',
  'document:create',
  'document:read',
  // Not in the specification.
  'mandate:create',
  'mandate:update',
)

export const loan = object({
  lan: text,
  loan_status: oneOf('ACTIVE', 'OVERDUE', 'CLOSED', 'UNKNOWN'),
  sanctioned_amount: rupees,
  disbursed_amount: rupees,
  interest_rate: number,
  emi_amount: rupees,
  dues: rupees,
  dpd: wholeNumber,
  due_date: nullable(day),
  number_of_emis_paid: wholeNumber,
  number_of_emis_due: wholeNumber,
  lead_id: nullable(text),
  partner_loan_id: nullable(text),
  max_tranche_amount: nullable(rupees),
  allow_tranche_request: flag,
})

export const scheduleRow = object({
  due_date: day,
  repayment_amount: rupees,
  principal_amount: optional(rupees),
  interest_amount: optional(rupees),
  total_charges: listOf(object({ charge_type: text, total_pending_amount: rupees })),
  closing_balance: optional(rupees),
  status: oneOf('Paid', 'Due', 'Late', 'Unknown'),
})

export const allowedPayments = object({
  overdue_payment: object({ amount: rupees, dpd: wholeNumber }),
  next_emi_payment: optional(object({ amount: rupees, due_date: day })),
  foreclosure_payment: optional(object({ amount: rupees, isLimited: flag })),
  part_payment: object({ min_allowed_amount: rupees, max_allowed_amount: rupees }),
})

export const linkStatus = oneOf('created', 'paid', 'partially_paid', 'expired', 'cancelled')

export const paymentLink = object({
  payment_link_id: text,
  payment_id: nullable(text),
  amount: rupees,
  purpose: oneOf('PAY_EMI', 'OVERDUE', 'FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'),
  status: linkStatus,
  created_at: instant,
  redirect_url: webAddress,
  rps_updated: flag,
})

export const tranche = object({
  tranche_amount: rupees,
  status: oneOf('DISBURSED', 'APPROVED', 'UNKNOWN'),
  release_status: oneOf('RELEASED', 'NOT_RELEASED', 'UNKNOWN'),
  date_of_disbursement: day,
  is_editable: flag,
  partner_tranche_id: text,
})

export const document = object({
  document_id: text,
  created_at: instant,
  content_type: oneOf('application/pdf', 'image/bmp', 'image/jpeg', 'image/png', 'image/webp'),
  metadata: object({ document_type: oneOf('Transcript', 'Others'), filename: text }),
})

/** A link of exactly this id and status. */
export const linkThat = (id: string, status: string): Shape =>
  both(paymentLink, object({ payment_link_id: exactly(id), status: exactly(status) }))

/** A refusal: a problem document with the code that the specification names. */
export const problem = (status: number, code: string): Shape =>
  object({ type: text, title: text, status: exactly(status), detail: text, code: exactly(code), request_id: text })

const resetOutcome = { instalment: rupees, instalments_left: wholeNumber, last_due_date: day, total_interest: rupees }
const resetChoice = oneOf('keep_emi', 'keep_tenor', 'between', 'part_payment')

/** A reset of the rate of a loan. */
export const rateReset = object({
  id: text,
  state: oneOf('computed', 'notified', 'chosen', 'defaulted', 'effective', 'withdrawn'),
  from: number,
  to: number,
  effective_on: day,
  choose_until: day,
  default: resetChoice,
  preview_hash: nullable(text),
  options: listOf(object({ option: resetChoice, exceeds_mandate_cap: flag, ...resetOutcome })),
})

/** A paper from the lender. */
export const loanPaper = object({
  id: text,
  paper: oneOf('kfs', 'sanction_letter', 'agreement', 'schedule_of_charges'),
  filename: text,
  size_bytes: wholeNumber,
  sha256: matching(/^[0-9a-f]{64}$/),
  published_at: nullable(instant),
})

/** The effect of an operation before anybody decides. */
export const preview = object({
  before: object({}),
  after: object({}),
  lines: listOf(object({})),
  warnings: listOf(object({ code: text })),
  preview_hash: text,
})

const staffMember = object({ user_id: text, name: text })

export const proposal = object({
  id: text,
  state: oneOf('proposed', 'executed', 'rejected', 'withdrawn', 'expired', 'failed'),
  kind: text,
  lan: nullable(text),
  input: object({}),
  reason: text,
  maker: staffMember,
  checker: nullable(staffMember),
  preview,
})
