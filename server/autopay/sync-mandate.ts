import { advanceMandate, canAdvanceMandate, type MandateEndReason, type MandateEvent } from '#domain/autopay.ts'
import { dayMs } from '#domain/durations.ts'
import { addNotice } from '../add-notice.ts'
import type { RegistrationSnapshot, TokenSnapshot } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import { withMandate, type MandateTransaction } from './collection-transaction.ts'
import { endMandate } from './end-mandate.ts'
import { createInFlightMsMax } from '../payments/links/look-up-link.ts'
import { changeMandateRow, readMandateRow, type MandateChange, type MandateKey, type MandateRow } from './mandate-store.ts'
import { planNextCollection } from './plan-collection.ts'

/** The provider's view of a mandate. `absent`: the provider does not know it. */
type MandateView = { registration?: RegistrationSnapshot; token?: TokenSnapshot | 'absent' } | 'absent'

/**
 * Fetches a mandate from the provider and stores its state: the one function behind webhooks,
 * polls, sweeps and the checks before a debit. Repeated and parallel calls have the effect of one.
 *
 * @returns the mandate, and whether the provider answered.
 */
export async function syncMandate(context: MoneyContext, key: MandateKey): Promise<{ mandate: MandateRow; isKnown: boolean }> {
  const mandate = await context.database.asBorrower(key.borrower_id, (sql) => readMandateRow(sql, key))
  const view = await fetchView(context, mandate)
  if (view === null) return { mandate, isKnown: false }
  return { mandate: await applyView(context, mandate, view), isKnown: true }
}

/** Null if the provider did not answer. */
async function fetchView({ gateway, log }: MoneyContext, mandate: MandateRow): Promise<MandateView | null> {
  const unknown = (reason: string) => {
    log.warn({ reference: mandate.reference, reason }, 'mandate state not available from provider')
    return null
  }
  if (mandate.token_id !== null && mandate.customer_id !== null) {
    const outcome = await gateway.fetchToken(mandate.customer_id, mandate.token_id)
    if (outcome.kind === 'unknown') return unknown(outcome.reason)
    return { token: outcome.kind === 'found' ? outcome.token : 'absent' }
  }
  const outcome =
    mandate.invoice_id === null ? await gateway.findRegistration(mandate.reference) : await gateway.fetchRegistration(mandate.invoice_id)
  if (outcome.kind === 'unknown') return unknown(outcome.reason)
  if (outcome.kind === 'absent') return 'absent'
  const { registration } = outcome
  if (registration.paymentId === null) return { registration }
  const approval = await gateway.fetchDebit(registration.paymentId)
  if (approval.kind !== 'found') return approval.kind === 'unknown' ? unknown(approval.reason) : { registration }
  const { tokenId, customerId } = approval.debit
  if (tokenId === null) return { registration }
  const token = await gateway.fetchToken(customerId ?? registration.customerId, tokenId)
  if (token.kind === 'unknown') return unknown(token.reason)
  return { registration, token: token.kind === 'found' ? token.token : 'absent' }
}

const applyView = (context: MoneyContext, known: MandateRow, view: MandateView): Promise<MandateRow> =>
  withMandate(context, known, async ({ mandate: found, ...step }) => {
    let mandate = await changeMandate(step, found, { provider_checked_at: step.now })
    if (view === 'absent') return closeUnknown(step, mandate)
    if (view.registration && !isRegistrationOf(mandate, view.registration, context.log)) return mandate
    if (view.registration) mandate = await applyRegistration(step, mandate, view.registration)
    if (view.token) mandate = await applyToken(step, mandate, view.token)
    if (isPaidWithoutMandate(mandate, view, step.now)) mandate = await rejectMandate(step, mandate, 'link_cancelled')
    await planNextCollection(context, { ...step, mandate })
    return mandate
  })

/** Whether a registration is the requested one; the token of another would debit its account. */
export function isRegistrationOf(mandate: MandateRow, { reference: found }: RegistrationSnapshot, log: MoneyContext['log']): boolean {
  const { reference } = mandate
  if (found !== reference) log.error({ reference, found }, 'registration at provider differs from the one requested')
  return found === reference
}

type MandateStep = Omit<MandateTransaction, 'mandate'>

/** Stores what differs: most looks find a mandate as it was, and change their own time only. */
async function changeMandate({ sql }: MandateStep, mandate: MandateRow, to: MandateChange): Promise<MandateRow> {
  const isChange = Object.entries(to).some(([name, value]) => mandate[name as keyof MandateChange] !== value)
  if (isChange) await changeMandateRow(sql, mandate, to)
  return { ...mandate, ...to }
}

/** Ends a mandate that was never active. */
export const closeMandate = (step: MandateStep, mandate: MandateRow, event: MandateEvent, reason: MandateEndReason) =>
  changeMandate(step, mandate, {
    status: advanceMandate(mandate.status, event),
    end_reason: mandate.end_reason ?? reason,
    ended_at: step.now,
  })

/** The time after its last moment in which a page that was paid can still get its mandate. */
const mandateAfterPageMs = dayMs

/** Whether the page was paid, and the provider has no mandate of it even a day later. */
const isPaidWithoutMandate = (
  { status, expires_at: expiresAt }: MandateRow,
  { registration, token = 'absent' }: Exclude<MandateView, 'absent'>,
  now: Date,
) =>
  status === 'issued' && token === 'absent' && registration?.status === 'paid' && now.getTime() - expiresAt.getTime() > mandateAfterPageMs

/** The bank can take a day to reject a request: the borrower gets a notice. */
async function rejectMandate(
  step: MandateStep,
  mandate: MandateRow,
  event: 'rejected' | 'link_cancelled' = 'rejected',
): Promise<MandateRow> {
  const { sql, own, now } = step
  const about = `autopay_ended:${mandate.mandate_id}`
  const { borrower_id: borrowerId, lan } = own.loan
  await addNotice(sql, { borrowerId, about, kind: 'autopay_ended', lan, subject: 'rejected' }, now)
  return closeMandate(step, mandate, event, 'bank')
}

/** A registration that the provider does not know was never made. */
function closeUnknown(step: MandateStep, mandate: MandateRow): MandateRow | Promise<MandateRow> {
  const isInFlight = step.now.getTime() - mandate.created_at.getTime() <= createInFlightMsMax
  if (mandate.status === 'creating' && !isInFlight) return closeMandate(step, mandate, 'link_cancelled', 'refused')
  return mandate.status === 'issued' && step.now > mandate.expires_at ? closeMandate(step, mandate, 'link_expired', 'expired') : mandate
}

export async function applyRegistration(step: MandateStep, mandate: MandateRow, registration: RegistrationSnapshot): Promise<MandateRow> {
  const { invoiceId: invoice_id, orderId: order_id, customerId: customer_id, redirectUrl: redirect_url, status } = registration
  const ids = { invoice_id, order_id, customer_id, redirect_url }
  if (status === 'expired' && canAdvanceMandate(mandate.status, 'link_expired'))
    return closeMandate(step, await changeMandate(step, mandate, ids), 'link_expired', 'expired')
  if (status === 'cancelled' && canAdvanceMandate(mandate.status, 'link_cancelled'))
    return closeMandate(step, await changeMandate(step, mandate, ids), 'link_cancelled', 'borrower')
  return changeMandate(step, mandate, { ...ids, ...(status === 'issued' && { status: advanceMandate(mandate.status, 'issued') }) })
}

async function applyToken(step: MandateStep, given: MandateRow, token: TokenSnapshot | 'absent'): Promise<MandateRow> {
  // The provider forgets an eMandate that it was asked to delete, and a mandate that is over.
  if (token === 'absent') return endMandate({ ...step, mandate: given }, 'bank')
  const ids = { token_id: token.tokenId, customer_id: token.customerId, ...(token.upiHandle !== null && { account_hint: token.upiHandle }) }
  const mandate = await changeMandate(step, given, ids)
  switch (token.status) {
    case 'initiated':
      return changeMandate(step, mandate, { status: advanceMandate(mandate.status, 'approved') })
    case 'confirmed':
      return applyConfirmed(step, mandate)
    case 'paused':
      return applyAppPause(step, mandate)
    case 'rejected':
      return applyRejected(step, mandate)
    case 'cancelled':
      return applyCancelled(step, mandate)
    default:
      return mandate
  }
}

/** Active for the first time, or resumed in the app; a pause in the portal stays. */
function applyConfirmed(step: MandateStep, mandate: MandateRow): Promise<MandateRow> | MandateRow {
  if (canAdvanceMandate(mandate.status, 'confirmed'))
    return changeMandate(step, mandate, { status: advanceMandate(mandate.status, 'confirmed'), active_at: step.now })
  if (mandate.status !== 'paused' || mandate.app_paused_at === null) return mandate
  const resumed = mandate.paused_at === null && { status: advanceMandate(mandate.status, 'resumed') }
  return changeMandate(step, mandate, { app_paused_at: null, ...resumed })
}

function applyAppPause(step: MandateStep, mandate: MandateRow): Promise<MandateRow> | MandateRow {
  const isFirst = canAdvanceMandate(mandate.status, 'confirmed')
  const status = advanceMandate(advanceMandate(mandate.status, 'confirmed'), 'paused')
  if (status !== 'paused') return mandate
  return changeMandate(step, mandate, {
    status,
    app_paused_at: mandate.app_paused_at ?? step.now,
    ...(isFirst && { active_at: step.now }),
  })
}

/** Rejected by the bank, perhaps before its approval was seen. */
function applyRejected(step: MandateStep, mandate: MandateRow): Promise<MandateRow> {
  const approved = { ...mandate, status: advanceMandate(mandate.status, 'approved') }
  return canAdvanceMandate(approved.status, 'rejected') ? rejectMandate(step, approved) : endMandate({ ...step, mandate }, 'bank')
}

function applyCancelled(step: MandateStep, mandate: MandateRow): Promise<MandateRow> {
  // Approved and cancelled before it was seen: it was never active.
  return canAdvanceMandate(mandate.status, 'approved')
    ? closeMandate(step, mandate, 'link_cancelled', 'app')
    : endMandate({ ...step, mandate }, 'app')
}
