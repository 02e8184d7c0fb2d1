import { randomUUID } from 'node:crypto'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { cancelMandate, sendMandateCancelCode } from '#server/autopay/cancel-mandate.ts'
import { retryCollection, skipCollection } from '#server/autopay/change-collection.ts'
import { listCollections, type CollectionRow } from '#server/autopay/collection-store.ts'
import { consentVersion } from '#server/autopay/consent.ts'
import { createMandate } from '#server/autopay/create-mandate.ts'
import { findLiveMandate, type MandateRow } from '#server/autopay/mandate-store.ts'
import { pauseMandate, resumeMandate } from '#server/autopay/pause-mandate.ts'
import { syncByName } from '#server/autopay/sync-by-name.ts'
import type { Caller } from '#server/caller.ts'
import type { Context } from '#server/context.ts'
import { singleAttempt } from '#server/http/idempotency.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { changeLoan, type LoanChange } from '#server/loan-changes/change-loan.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { waiveCharge } from '#server/loan-changes/waive-charge.ts'
import { offerAt } from '#server/loans/offer.ts'
import { readOwnLoanById } from '#server/loans/own-loan.ts'
import { createLoanChangeContext } from '#server/payments/links/cancel-open-link.ts'
import { cancelPaymentLink } from '#server/payments/links/cancel-payment-link.ts'
import { createPaymentLink } from '#server/payments/links/create-payment-link.ts'
import { refreshLink } from '#server/payments/links/sync-link.ts'
import { findOpenLink } from '#server/ledger/open-links-store.ts'
import type { Judge, JudgedLoan } from './judge.ts'
import type { SimulatedProvider } from './provider.ts'
import { isPayable, type LinkRecord } from './records.ts'

/** One loan of a history, with what acts on it. Its choices come from its own sequence. */
export type Actor = {
  context: Context
  provider: SimulatedProvider
  judge: Judge
  loan: JudgedLoan
  below: (end: number) => number
  /** The code of the last text message to a phone. */
  codeOf(phone: string): string | undefined
}

type Action = (actor: Actor) => Promise<unknown>

const origin = { requestId: 'torture', remoteAddress: '127.0.0.1', userAgent: 'torture', sessionId: null }
const callbackUrl = 'http://localhost:3000/payments/waiting-for-payment'
const account = { beneficiary_name: 'Meera Joshi', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' }

const callerOf = ({ borrowerId }: JudgedLoan): Caller => ({
  borrowerId,
  actorId: borrowerId,
  sessionId: randomUUID(),
  isStaff: false,
  permissions: [],
})

/** A request of the borrower, as the HTTP layer would hand it to a use case. */
function callAs<Answer>(
  { context, loan }: Actor,
  useCase: (context: Context, caller: Caller, request: never) => Promise<Answer>,
  request: { params?: object; query?: object; body?: object },
): Promise<Answer> {
  const whole = { query: {}, ...request, origin, deviceCookie: { value: null, set: () => {} }, attempt: singleAttempt, site: '' }
  return useCase(context, callerOf(loan), whole as never)
}

const mandateOf = ({ context, loan }: Actor): Promise<MandateRow | undefined> =>
  context.database.asBorrower(loan.borrowerId, (sql) => findLiveMandate(sql, loan.borrowerId, loan.loanId))
const collectionsOf = ({ context, loan }: Actor): Promise<CollectionRow[]> =>
  context.database.asBorrower(loan.borrowerId, (sql) => listCollections(sql, loan.borrowerId, loan.loanId))
const factsOf = async ({ context, loan }: Actor) =>
  (await context.database.asBorrower(loan.borrowerId, (sql) => readOwnLoanById(sql, loan.borrowerId, loan.loanId))).facts

/** Sets up a mandate, which most borrowers approve. */
export async function setUpMandate(actor: Actor, approvedOf100 = 100): Promise<void> {
  const { context, loan, provider, below } = actor
  if (await mandateOf(actor)) return
  const method = below(3) === 0 ? 'emandate' : 'upi'
  const forBank = method === 'emandate' && { auth_type: 'netbanking', account }
  const body = { application_id: loan.lan, method, consent_version: consentVersion, ...forBank }
  const { mandate } = await callAs(actor, createMandate as never as Answering<{ mandate: { reference: string } }>, { body })
  const record = [...provider.mandates.values()].find(({ reference }) => reference === mandate.reference)
  if (!record || below(100) >= approvedOf100) return
  provider.approve(record)
  if (record.token && record.method === 'emandate') record.token.status = 'confirmed'
  await syncByName(context, mandate.reference)
}
type Answering<Answer> = (context: Context, caller: Caller, request: never) => Promise<Answer>

/** Asks for a link, and pays some of them at once, some later, some never. */
async function requestLink(actor: Actor, purpose: PaymentPurpose): Promise<void> {
  const { context, loan } = actor
  const offer = offerAt(await factsOf(actor), context.clock.now())
  const amount = {
    PAY_EMI: offer.nextEmi?.amountPaise,
    OVERDUE: offer.overdue.amountPaise,
    FORECLOSURE: offer.foreclosure?.amountPaise,
    PART_PAYMENT__REDUCE_EMI: offer.partPayment.minPaise,
  }[purpose as 'PAY_EMI']
  if (amount === undefined || amount === 0n) return
  // A link for what is due never leaves credit beside debits.
  if (purpose !== 'PAY_EMI' && purpose !== 'OVERDUE') loan.hasOtherMoney = true
  const body = { amount, purpose, lead_id: loan.lan, application_id: loan.lan, callback_url: callbackUrl }
  await callAs(actor, createPaymentLink, { body })
}

const linksOf = ({ provider, loan }: Actor): LinkRecord[] => [...provider.links.values()].filter(({ loanId }) => loanId === loan.loanId)

/** Looks at the loan's open link as a poll does. */
async function poll({ context, loan }: Actor): Promise<void> {
  const open = await context.database.asBorrower(loan.borrowerId, (sql) => findOpenLink(sql, loan.borrowerId, loan.loanId))
  if (open) await refreshLink(context, open, { source: 'poll', actorId: loan.borrowerId })
}

async function payLink(actor: Actor): Promise<void> {
  const link = linksOf(actor).findLast((one) => isPayable(one, actor.provider.nowMs()))
  if (!link) return
  actor.provider.pay(link)
  if (actor.below(2) === 0) await poll(actor)
}

/** Banks are asked for three days; later only the daily reconciliation finds such money. */
const latePaymentMsMax = 3 * 86_400_000

/** A slow bank pays a link that is closed. */
async function payLate(actor: Actor): Promise<void> {
  const nowMs = actor.provider.nowMs()
  const isLate = (one: LinkRecord) => !isPayable(one, nowMs) && nowMs < one.expiresMs + latePaymentMsMax
  const link = linksOf(actor).findLast((one) => one.payments.length === 0 && isLate(one))
  if (!link) return
  // It may find only a part of its amount due: the rest stays as credit (decision 49).
  actor.loan.hasOtherMoney = true
  actor.provider.pay(link)
}

async function cancelLink(actor: Actor): Promise<void> {
  const link = linksOf(actor).findLast((one) => isPayable(one, actor.provider.nowMs()))
  if (link) await callAs(actor, cancelPaymentLink, { query: { payment_link_id: link.id } })
}

function change({ context, loan }: Actor, write: LoanChange<null>['write'], whileLinkOpen: 'refuse' | 'cancel_after'): Promise<unknown> {
  loan.hasOtherMoney = true
  const { borrowerId, loanId } = loan
  const actor = { actorId: 'operator', name: 'torture', reason: null }
  return changeLoan(createLoanChangeContext(context), { borrowerId, loanId, actor, whileLinkOpen, write })
}

/** Money by transfer: the dues, a part of them, or all that the loan owes. */
async function transfer(actor: Actor, share: 'dues' | 'part' | 'all'): Promise<void> {
  const { context } = actor
  const offer = offerAt(await factsOf(actor), context.clock.now())
  const whole =
    share === 'all'
      ? offer.foreclosure?.amountPaise
      : offer.overdue.amountPaise > 0n
        ? offer.overdue.amountPaise
        : offer.nextEmi?.amountPaise
  if (whole === undefined || whole < 200n) return
  const amountPaise = share === 'part' ? paise(whole / BigInt(2 + actor.below(3))) : whole
  const purpose = share === 'all' ? 'FORECLOSURE' : null
  await change(
    actor,
    async (loan) => {
      const payment = { mode: 'neft', reference: `UTR${randomUUID()}`, amountPaise, date: dayInIndia(loan.now), purpose } as const
      await recordPayment(loan, payment)
      return { answer: null, log: { action: 'payment_recorded', detail: {} } }
    },
    'cancel_after',
  )
}

/** A charge, which is waived later or at once. */
async function charge(actor: Actor): Promise<void> {
  const chargeId = `torture-${randomUUID()}`
  await change(
    actor,
    async (loan) => {
      const added = { chargeId, chargeType: 'BOUNCE_CHARGE', date: dayInIndia(loan.now), amountPaise: rupeesToPaise(250), penal: false }
      await addCharges(loan, [added])
      return { answer: null, log: { action: 'charge_added', detail: {} } }
    },
    'refuse',
  )
  if (actor.below(2) === 0) await waive(actor)
}

async function waive(actor: Actor): Promise<void> {
  const facts = await factsOf(actor)
  const chargeId = facts.charges.findLast(({ waivedOn }) => waivedOn === null)?.chargeId
  if (chargeId === undefined) return
  await change(
    actor,
    async (loan) => {
      await waiveCharge(loan, chargeId, dayInIndia(loan.now))
      return { answer: null, log: { action: 'charge_waived', detail: {} } }
    },
    'refuse',
  )
}

const onMandate =
  (work: (actor: Actor, mandate: MandateRow) => Promise<unknown>): Action =>
  async (actor) => {
    const mandate = await mandateOf(actor)
    if (mandate) await work(actor, mandate)
  }

const cancelHere = onMandate(async (actor, { mandate_id: id }) => {
  const code = await callAs(actor, sendMandateCancelCode, { params: { id } })
  const body = { session_token: code.session_token, otp: actor.codeOf(actor.loan.phone) ?? '' }
  await callAs(actor, cancelMandate, { params: { id }, body })
})

/** The borrower acts in the UPI app; the provider tells of it, or its event is lost. */
const inApp = (status: 'confirmed' | 'paused' | 'cancelled'): Action =>
  onMandate(async ({ provider, context, below }, { token_id }) => {
    const token = provider.findToken(token_id ?? '')?.token
    if (!token || token.status === 'cancelled') return
    token.status = status
    if (below(2) === 0) await syncByName(context, token.id)
  })

async function skip(actor: Actor): Promise<void> {
  const open = (await collectionsOf(actor)).find(({ status }) => status === 'announced' || status === 'planned')
  if (open) await callAs(actor, skipCollection, { params: { id: open.collection_id } })
}

async function retry(actor: Actor): Promise<void> {
  const failed = (await collectionsOf(actor)).find(({ status }) => status === 'failed')
  if (!failed) return
  const date = addDays(dayInIndia(actor.context.clock.now()), 2 + actor.below(3))
  await callAs(actor, retryCollection, { params: { id: failed.collection_id }, body: { date } })
  actor.judge.addRetry(actor.loan.loanId, failed.due_on)
}

/** An event of the provider, true or not: it causes a look, and nothing else. */
async function event(actor: Actor): Promise<void> {
  const rows = await collectionsOf(actor)
  const row = rows[actor.below(rows.length)]
  if (row) await syncByName(actor.context, row.order_id !== null && actor.below(2) === 0 ? row.order_id : row.reference)
}

/** What can happen to a loan, with its weight. */
const actions: readonly [weight: number, action: Action][] = [
  [8, (actor) => requestLink(actor, 'PAY_EMI')],
  [8, (actor) => requestLink(actor, 'OVERDUE')],
  [1, (actor) => requestLink(actor, 'PART_PAYMENT__REDUCE_EMI')],
  [1, (actor) => requestLink(actor, 'FORECLOSURE')],
  [12, payLink],
  [3, payLate],
  [6, cancelLink],
  [4, poll],
  [2, (actor) => transfer(actor, 'dues')],
  [2, (actor) => transfer(actor, 'part')],
  [1, (actor) => transfer(actor, 'all')],
  [2, charge],
  [1, waive],
  [3, skip],
  [8, retry],
  [3, onMandate((actor, { mandate_id: id }) => callAs(actor, pauseMandate, { params: { id } }))],
  [6, onMandate((actor, { mandate_id: id }) => callAs(actor, resumeMandate, { params: { id } }))],
  [1, cancelHere],
  [2, inApp('paused')],
  [5, inApp('confirmed')],
  [1, inApp('cancelled')],
  [4, (actor) => setUpMandate(actor, 80)],
  [10, event],
]
const weights = actions.reduce((sum, [weight]) => sum + weight, 0)

/** One action by chance. */
export async function actAtRandom(actor: Actor): Promise<void> {
  let left = actor.below(weights)
  for (const [weight, action] of actions) {
    left -= weight
    if (left < 0) return void (await action(actor))
  }
}
