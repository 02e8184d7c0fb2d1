import { addDays, addMonths, dayInIndia, dayOfMonth } from '#domain/calendar.ts'
import { addLoan, addPerson, type AddedLoan, type NewLoan } from '#testkit/builders.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { until, type App } from '#testkit/start-app.ts'

/** A borrower's loan made for one test, which may change anything about it. */
export type OwnLoan = {
  /** Days until the next instalment is due; negative if it is overdue. */
  dueInDays?: number
  /** 31: the instalments are due at month ends. The day of the next one if left out. */
  dueDay?: number
  /** Instalments already paid. */
  paid?: number
  rupees?: number
  /** Above the disbursed amount: the rest can be requested. */
  sanctionedRupees?: number
  instalments?: number
  title?: string
  leadId?: string | null
  moratorium?: NewLoan['moratorium']
}

export type Borrower = AddedLoan & { phone: string }

let people = 0

/** An unused phone: workers have databases of their own, so counting is enough. */
export function newPhone(): string {
  people += 1
  return `+9198765${String(people).padStart(5, '0')}`
}

/** A borrower with one active loan who is in no other test. */
export async function newBorrower(portal: App, loan: OwnLoan = {}): Promise<Borrower> {
  const phone = newPhone()
  const borrowerId = await addPerson(portal.database, portal.clock.now(), {
    phone,
    firstName: 'Nisha',
    lastName: 'Verma',
    email: 'nisha.verma@example.in',
    emailVerified: true,
  })
  return { phone, ...(await addOwnLoan(portal, borrowerId, loan)) }
}

/** Another loan of a borrower. */
export async function addOwnLoan(portal: App, borrowerId: string, loan: OwnLoan = {}): Promise<AddedLoan> {
  const { dueInDays = 5, paid = 3, rupees = 120_000, instalments = 24, title = 'B.Sc. in physics' } = loan
  people += 1
  const number = String(people).padStart(6, '0')
  const now = portal.clock.now()
  const nextDue = addDays(dayInIndia(now), dueInDays)
  const dueDay = loan.dueDay ?? dayOfMonth(nextDue)
  const firstDueDate = addMonths(nextDue, -paid, dueDay)
  const key = await addLoan(portal.database, now, borrowerId, {
    lan: `KST-30-${number}`,
    leadId: loan.leadId === undefined ? `LEAD-30-${number}` : loan.leadId,
    partnerLoanId: null,
    title,
    sanctionedRupees: loan.sanctionedRupees ?? rupees,
    disbursals: [{ date: addMonths(firstDueDate, -1, dueDay), rupees }],
    annualRatePercent: 12,
    instalments,
    firstDueDate,
    dueDay,
    ...(loan.moratorium && { moratorium: loan.moratorium }),
  })
  await payInstalments(portal.database, key, paid)
  return key
}

/**
 * A payment link for the next instalment, created by the API, as on another device. @returns the
 * link's id.
 */
export async function startPayment(portal: App, { phone, lan }: Borrower): Promise<string> {
  const token = await portal.signIn(phone)
  const { body: schedule } = await portal.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { next_emi_payment: offer } = schedule['allowed_payments'] as { next_emi_payment: { amount: number } }
  const order = {
    amount: offer.amount,
    purpose: 'PAY_EMI',
    lead_id: lan,
    application_id: lan,
    callback_url: `${portal.url}/payments/waiting-for-payment`,
  }
  const { body } = await portal.post('/portal/payment-link?use_razorpay=true', order, token)
  return String(body['payment_link_id'])
}

/** Waits until the money of a link is in the loan. */
export async function waitForApplied(portal: App, { phone }: Borrower, linkId: string): Promise<void> {
  const token = await portal.signIn(phone)
  await until(async () => (await portal.get(`/portal/payment-link/status?payment_link_id=${linkId}`, token)).body['rps_updated'])
}
