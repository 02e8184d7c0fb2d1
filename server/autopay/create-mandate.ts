import { uuidv7 } from 'uuidv7'
import type { createMandate as call } from '#contract/autopay.ts'
import { canAdvanceMandate, hintAccount } from '#domain/autopay.ts'
import { autopayOffer, expectLastDueDate, type MethodOffer } from '#domain/autopay-offer.ts'
import { addMonths, dayInIndia, endOfDayInIndiaMs } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { logAction } from '../access-log.ts'
import type { RegistrationSnapshot } from '../adapters/payment-gateway/recurring-gateway.ts'
import { findUserById, nameOf } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import type { Request, UseCase } from '../http/route.ts'
import { providerUnavailable } from '../loan-changes/change-refusals.ts'
import { findOwnLoan, lockOwnLoan, requireBorrower, type OwnLoan } from '../loans/own-loan.ts'
import { refuseOverQuota } from '../payments/hourly-quota.ts'
import { mandateOnWire } from './autopay-on-wire.ts'
import { autopayNotOffered, mandateExists } from './autopay-refusals.ts'
import { addMandate, findLiveMandate, listMandateTimes, readMandateRow, type MandateRow } from './mandate-store.ts'
import { withMandate } from './collection-transaction.ts'
import { formatReference } from './plan-collection.ts'
import { applyRegistration, closeMandate, isRegistrationOf, syncMandate } from './sync-mandate.ts'
import { chooseMaximum, readAccount, refuseConsent } from './validate-mandate.ts'

type MandateRequest = Request<typeof call>

/** How long the provider's page can be approved. */
const registrationLifetimeMs = hourMs
/**
 * A mandate outlives the last due date of the wholly disbursed loan, because a rate reset can add
 * instalments.
 */
const monthsAfterLastDue = 12
/** The provider's limit of a UPI mandate is thirty years. */
const mandateMonthsMax = 12 * 29

/**
 * Sets up a mandate: stores it, then has the provider make the page on which the borrower approves
 * it. If the provider does not answer, the same request finds the page by its reference and makes
 * no second one.
 */
export const createMandate: UseCase<typeof call> = async (context, caller, request) => {
  const { madeBefore } = request.attempt
  const stored = madeBefore === null ? await storeMandate(context, caller, request) : await settleEarlier(context, caller, madeBefore)
  const mandate = stored.status === 'creating' ? await register(context, stored, request) : stored
  if (mandate.status !== 'issued' || mandate.redirect_url === null) throw registrationRefused()
  const lan = await context.database.asBorrower(mandate.borrower_id, async (sql) => {
    const loan = await findOwnLoan(sql, mandate.borrower_id, request.body.application_id)
    return loan.lan
  })
  return {
    mandate: mandateOnWire(mandate, lan, context.config.autopay.rules),
    redirect_url: mandate.redirect_url,
    expires_at: mandate.expires_at,
  }
}

const registrationRefused = () =>
  new Failure('PaymentGatewayRefused', 'The payment provider refused to set up autopay. Check the account, or try again later.')

/** Finds what an earlier attempt of the same request made, whose outcome is unknown. */
async function settleEarlier(context: Context, caller: Caller, mandateId: string): Promise<MandateRow> {
  const { mandate, isKnown } = await syncMandate(context, { borrower_id: requireBorrower(caller), mandate_id: mandateId })
  if (!isKnown) throw providerUnavailable()
  return mandate
}

/** Checks the request under the loan's row lock and stores the mandate. */
async function storeMandate(context: Context, caller: Caller, request: MandateRequest): Promise<MandateRow> {
  const borrowerId = requireBorrower(caller)
  const { body, attempt } = request
  await settleUnconfirmed(context, borrowerId, body.application_id)
  return context.database.asBorrower(borrowerId, async (sql) => {
    const { loan_id: loanId } = await findOwnLoan(sql, borrowerId, body.application_id)
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const now = context.clock.now()
    const live = await findLiveMandate(sql, borrowerId, loanId)
    if (live) throw mandateExists()
    const offered = findOffered(context, own, body.method, now)
    refuseConsent(body)
    const account = readAccount(body)
    await refuseOverQuota(context.config, mandatesOf(sql, borrowerId), now)
    const mandateId = uuidv7()
    await addMandate(
      sql,
      {
        borrower_id: borrowerId,
        mandate_id: mandateId,
        loan_id: loanId,
        reference: formatReference('KM', mandateId),
        method: body.method,
        auth_type: body.method === 'emandate' ? (body.auth_type ?? null) : null,
        max_amount_paise: chooseMaximum(body, offered),
        account_hint: account && hintAccount(account.ifsc, account.accountNumber),
        consent_version: body.consent_version,
        expires_at: new Date(now.getTime() + registrationLifetimeMs),
        ends_on: lastDayOf(own, now),
        created_by: caller.actorId,
      },
      now,
      new Date(now.getTime() + context.config.payments.sweepAfterSeconds * 1_000),
    )
    await attempt.remember(sql, mandateId)
    const detail = { reference: formatReference('KM', mandateId), method: body.method, consent: body.consent_version }
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin: request.origin, now }, 'mandate_created', detail)
    return readMandateRow(sql, { borrower_id: borrowerId, mandate_id: mandateId })
  })
}

const mandatesOf = (sql: Sql, borrowerId: string) => ({
  listTimes: (since: Date) => listMandateTimes(sql, borrowerId, since),
  refusal: (max: number) => `Autopay can be set up ${max} times in an hour. Please wait.`,
})

/** Looks up an earlier mandate that the provider did not confirm, so that it does not block. */
async function settleUnconfirmed(context: Context, borrowerId: string, applicationId: string): Promise<void> {
  const live = await context.database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, applicationId)
    return findLiveMandate(sql, borrowerId, loan.loan_id)
  })
  if (live?.status !== 'creating') return
  const { mandate, isKnown } = await syncMandate(context, live)
  if (!isKnown || mandate.status === 'creating') throw providerUnavailable()
}

/** @throws Failure AutopayNotOffered if the method is not on offer for the loan. */
function findOffered({ config }: Context, { facts }: OwnLoan, method: MandateRow['method'], now: Date): MethodOffer {
  const today = dayInIndia(now)
  const offer = autopayOffer(facts, loanStateDuring(facts, today), config.autopay.rules, today)
  const offered = offer?.methods.find((one) => one.method === method)
  if (!offered) throw autopayNotOffered()
  return offered
}

function lastDayOf({ facts }: OwnLoan, now: Date): MandateRow['ends_on'] {
  const today = dayInIndia(now)
  const lastDue = expectLastDueDate(facts, loanStateDuring(facts, today), today)
  const wanted = addMonths(lastDue, monthsAfterLastDue)
  const latest = addMonths(today, mandateMonthsMax)
  return wanted < latest ? wanted : latest
}

/**
 * Has the provider make the page. The account number goes from the request to the provider.
 *
 * @throws Failure PaymentGatewayUnavailable if the page is not confirmed; the mandate stays.
 * @throws Failure PaymentGatewayRefused if the provider refuses; the mandate is closed.
 */
async function register(context: Context, mandate: MandateRow, { body }: MandateRequest): Promise<MandateRow> {
  const user = await context.database.asSystem((sql) => findUserById(sql, mandate.borrower_id))
  if (!user) throw new Error(`There is no borrower ${mandate.borrower_id}`)
  await context.failPoint('autopay_mandate_stored')
  const outcome = await context.gateway.createRegistration({
    reference: mandate.reference,
    customer: { name: nameOf(user), email: user.email ?? context.config.autopay.email, phone: user.phone },
    method: mandate.method,
    authType: mandate.auth_type,
    account: readAccount(body),
    maximumPaise: mandate.max_amount_paise,
    description: 'Autopay of loan instalments',
    expiresAt: mandate.expires_at,
    endsAt: new Date(endOfDayInIndiaMs(mandate.ends_on)),
  })
  await context.failPoint('autopay_mandate_made')
  switch (outcome.kind) {
    case 'created':
      if (!isRegistrationOf(mandate, outcome.registration, context.log)) throw providerUnavailable()
      return storeRegistration(context, mandate, outcome.registration)
    case 'refused': {
      // An earlier attempt can have made the page since it was looked for; a second one is refused.
      const { mandate: known, isKnown } = await syncMandate(context, mandate)
      if (!isKnown) throw providerUnavailable()
      if (known.status !== 'creating') return known
      context.log.error({ reference: mandate.reference, reason: outcome.reason }, 'provider refused to set up a mandate')
      await closeRefused(context, mandate)
      throw registrationRefused()
    }
    case 'unknown':
      context.log.warn({ reference: mandate.reference, reason: outcome.reason }, 'mandate not confirmed by provider')
      throw providerUnavailable()
  }
}

/** Whatever status the provider names: it has just made the page. */
const storeRegistration = (context: Context, known: MandateRow, registration: RegistrationSnapshot): Promise<MandateRow> =>
  withMandate(context, known, async ({ mandate, ...step }) =>
    canAdvanceMandate(mandate.status, 'issued') ? applyRegistration(step, mandate, { ...registration, status: 'issued' }) : mandate,
  )

const closeRefused = (context: Context, known: MandateRow): Promise<MandateRow> =>
  withMandate(context, known, async ({ mandate, ...step }) =>
    mandate.status === 'creating' ? closeMandate(step, mandate, 'link_cancelled', 'refused') : mandate,
  )
