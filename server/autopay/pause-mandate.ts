import type { pauseMandate as pauseCall, resumeMandate as resumeCall } from '#contract/autopay.ts'
import { advanceMandate } from '#domain/autopay.ts'
import { changeableUntilMs } from '#domain/autopay-times.ts'
import { logAction, type AccessAction } from '../access-log.ts'
import type { Caller, Origin } from '../caller.ts'
import type { UseCase } from '../http/route.ts'
import { mandateOnWire, presentTimeOf } from './autopay-on-wire.ts'
import { mandateNotChangeable, tooLateToChange } from './autopay-refusals.ts'
import { listCollections } from './collection-store.ts'
import { changeMandateRow } from './mandate-store.ts'
import type { MandateTransaction } from './collection-transaction.ts'
import { withOwnMandate } from './own-mandate.ts'
import { planNextCollection } from './plan-collection.ts'

/** Pauses a mandate in the portal; the provider does not know of it. Repeated, it has no effect. */
export const pauseMandate: UseCase<typeof pauseCall> = (context, caller, { params, origin }) =>
  withOwnMandate(context, caller, params.id, async (transaction) => {
    const { sql, own, mandate, now } = transaction
    if (mandate.status === 'paused' && mandate.paused_at !== null)
      return { mandate: mandateOnWire(mandate, own.loan.lan, context.config.autopay.rules) }
    const status = advanceMandate(mandate.status, 'paused')
    if (status !== 'paused') throw mandateNotChangeable()
    await refuseWithinTheHour(transaction)
    const change = { status, paused_at: now }
    await changeMandateRow(sql, mandate, change)
    await logChange(transaction, caller, origin, 'mandate_paused')
    return { mandate: mandateOnWire({ ...mandate, ...change }, own.loan.lan, context.config.autopay.rules) }
  })

/** Ends the pause of the portal. That of the UPI app can be ended only there. */
export const resumeMandate: UseCase<typeof resumeCall> = (context, caller, { params, origin }) =>
  withOwnMandate(context, caller, params.id, async (transaction) => {
    const { sql, own, mandate } = transaction
    if (mandate.status === 'active') return { mandate: mandateOnWire(mandate, own.loan.lan, context.config.autopay.rules) }
    if (mandate.status !== 'paused' || mandate.paused_at === null) throw mandateNotChangeable()
    const change = { paused_at: null, ...(mandate.app_paused_at === null && { status: advanceMandate(mandate.status, 'resumed') }) }
    await changeMandateRow(sql, mandate, change)
    const resumed = { ...mandate, ...change }
    await planNextCollection(context, { ...transaction, mandate: resumed })
    await logChange(transaction, caller, origin, 'mandate_resumed')
    return { mandate: mandateOnWire(resumed, own.loan.lan, context.config.autopay.rules) }
  })

/** @throws Failure MandateNotChangeable in the hour before a debit is presented. */
async function refuseWithinTheHour({ sql, mandate, now }: MandateTransaction): Promise<void> {
  const announced = (await listCollections(sql, mandate.borrower_id, mandate.loan_id)).find(({ status }) => status === 'announced')
  if (announced && now.getTime() > changeableUntilMs(presentTimeOf(announced, mandate, now).getTime())) throw tooLateToChange()
}

async function logChange(
  { sql, mandate, now }: MandateTransaction,
  { actorId }: Caller,
  origin: Origin,
  action: AccessAction,
): Promise<void> {
  const detail = { reference: mandate.reference }
  await logAction(sql, { borrowerId: mandate.borrower_id, actorId, origin, now }, action, detail)
}
