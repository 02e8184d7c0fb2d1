import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { advanceUntil, quickSweeps } from '#testkit/advance-until.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { firstLoan, openLink, payLink, requestLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { addCharges } from './add-charge.ts'
import { isOpenCondition } from '../ledger/open-links-store.ts'
import { recordPayment } from './record-payment.ts'
import { reversePayment } from './reverse-payment.ts'
import { waiveCharge } from './waive-charge.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { readOwnLoan } from '../loans/own-loan.ts'
import { createLoanChangeContext } from '../payments/links/cancel-open-link.ts'
import { refundCredit } from '../payments/refunds/refund-credit.ts'
import { releaseTranche } from '../tranches/decide-tranche.ts'
import { changeLoan, type LoanChange, type LoanTransaction } from './change-loan.ts'

let app: App
let token: string
let lan: string
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { ...quickSweeps, KIST_SWEEP_AFTER_SECONDS: '3600' } })
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectInvariantsHold(app)
})
afterAll(() => app.close())

async function signInAs(number: number) {
  token = await app.signIn(demoPhone(number))
  lan = await firstLoan(app, token)
}
const askForLink = (amount = 12_345, purpose = 'PART_PAYMENT__REDUCE_EMI') => requestLink(app, token, { lan, amount, purpose })
const addLink = (amount = 12_345, purpose = 'PART_PAYMENT__REDUCE_EMI') => openLink(app, token, { lan, amount, purpose })
const pay = (link: string, outcome?: object) => payLink(app, link, outcome)
const statusOf = async (link: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body
const cancel = (link: string) => app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
const atProvider = async (link: string) =>
  ((await app.sandbox('/state')) as { links: { id: string; status: string }[] }).links.find(({ id }) => id === link)?.status
const keyOf = async () => {
  const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new Error(`There is no loan ${lan}`)
  return key
}
async function loanNow() {
  const { borrowerId } = await keyOf()
  const { facts } = await app.database.asBorrower(borrowerId, (sql) => readOwnLoan(sql, borrowerId, lan))
  return loanStateDuring(facts, dayInIndia(app.clock.now()))
}
/** Row counts of the loan, without its links. */
async function stored() {
  const { loanId } = await keyOf()
  return app.database.asSystem(async (sql) => {
    const count = async (table: 'ledger_transactions' | 'charges' | 'disbursals' | 'refunds') =>
      (await sql.selectFrom(table).select('borrower_id').where('loan_id', '=', loanId).execute()).length
    const log = await sql.selectFrom('access_log').select('entry_id').where('actor_id', '=', 'night-batch').execute()
    return [await count('ledger_transactions'), await count('charges'), await count('disbursals'), await count('refunds'), log.length]
  })
}

type Write = LoanChange<string>['write']
const changed = (
  answer: string,
  action: 'charge_added' | 'charge_waived' | 'payment_recorded' | 'payment_reversed' | 'tranche_released',
) => ({
  answer,
  log: { action, detail: {} },
})
const charge =
  (chargeId: string, rupees = 590): Write =>
  async (loan) => {
    const added = { chargeId, chargeType: 'BOUNCE_CHARGE', date: dayInIndia(loan.now), amountPaise: rupeesToPaise(rupees), penal: false }
    return (await addCharges(loan, [added])) ? changed('added', 'charge_added') : { answer: 'unchanged', log: null }
  }
const waiver =
  (chargeId: string): Write =>
  async (loan) => {
    await waiveCharge(loan, chargeId, dayInIndia(loan.now))
    return changed('waived', 'charge_waived')
  }
const transfer =
  (reference: string, rupees: number): Write =>
  async (loan) => {
    const payment = { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date: dayInIndia(loan.now), purpose: null } as const
    await recordPayment(loan, payment)
    return changed('recorded', 'payment_recorded')
  }
const reversal =
  (reference: string): Write =>
  async (loan) => {
    await reversePayment(loan, 'neft', reference)
    return changed('reversed', 'payment_reversed')
  }
const release: Write = async (loan) => {
  await releaseTranche(loan, `${lan}-T3`, dayInIndia(loan.now))
  return changed('released', 'tranche_released')
}
const refund: Write = async ({ sql, own, now, actorId }: LoanTransaction) => {
  await refundCredit(sql, app.context.jobs, own, { amountPaise: rupeesToPaise(1), note: 'test', askedBy: actorId }, now)
  return { answer: 'refunded', log: { action: 'credit_refunded', detail: {} } }
}

async function change(write: Write, more: Partial<LoanChange<string>> = {}) {
  const actor = { actorId: 'night-batch', name: 'night batch', reason: 'a bounced instalment' }
  return changeLoan(createLoanChangeContext(app.context), {
    ...(await keyOf()),
    actor,
    whileLinkOpen: 'refuse',
    write,
    ...more,
  })
}

describe('a change of a loan while a payment link is open', () => {
  beforeAll(async () => {
    await signInAs(1)
    await change(charge('earlier'), { whileLinkOpen: 'keep' })
    await change(transfer('UTR-EARLIER', 50), { whileLinkOpen: 'keep' })
  })

  it.each([
    ['charge', charge('refused')],
    ['waiver', waiver('earlier')],
    ['reversal', reversal('UTR-EARLIER')],
    ['tranche release', release],
  ])('refuses a %s: 409 LinkOpen, which names the link and its end, and nothing is written', async (_what, write) => {
    const link = await addLink()
    const before = await stored()
    await expect(change(write)).rejects.toMatchObject({
      code: 'LinkOpen',
      extras: { payment_link_id: link, expires_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    })
    expect(await stored()).toEqual(before)
    expect(await statusOf(link)).toMatchObject({ status: 'created' })
    expect((await cancel(link)).status).toBe(200)
  })

  it('refuses a refund of credit', async () => {
    await signInAs(5)
    const { overdue_payment } = (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body['allowed_payments'] as {
      overdue_payment: { amount: number }
    }
    // Paid twice, the second time through the provider: this credit can be refunded.
    const paid = await addLink(overdue_payment.amount, 'OVERDUE')
    await change(transfer('UTR-TWICE', overdue_payment.amount), { whileLinkOpen: 'keep' })
    await pay(paid)
    await until(async () => (await statusOf(paid))['rps_updated'])
    const link = await addLink()
    const before = await stored()
    await expect(change(refund)).rejects.toMatchObject({ code: 'LinkOpen', extras: { payment_link_id: link } })
    expect(await stored()).toEqual(before)
    expect((await change(refund, { cancelLink: true })).link?.kind).toBe('closed')
    expect((await stored())[3]).toBe(1)
    await signInAs(1)
  })

  it('is written after the provider confirmed the cancel; the access log has actor, reason and link', async () => {
    const link = await addLink()
    const { answer, link: cancelled } = await change(charge('let-in'), { cancelLink: true })
    expect([answer, cancelled?.kind]).toEqual(['added', 'closed'])
    expect([await atProvider(link), (await statusOf(link))['status']]).toEqual(['cancelled', 'cancelled'])
    const entries = await app.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['actor_id', 'detail']).where('action', '=', 'charge_added').orderBy('entry_id').execute(),
    )
    expect(entries.at(-1)).toEqual({
      actor_id: 'night-batch',
      detail: { lan, operator: 'night batch', reason: 'a bounced instalment', cancelled_link: cancelled?.link.reference },
    })
  })

  it('cancels no link for a change that is refused, changes nothing or is a dry run', async () => {
    const link = await addLink()
    await expect(change(waiver('no-such-charge'), { cancelLink: true })).rejects.toThrow('has no open charge')
    expect(await change(charge('let-in'), { cancelLink: true })).toEqual({ answer: 'unchanged', link: null })
    const before = await stored()
    expect(await change(charge('tried'), { cancelLink: true, dryRun: true })).toEqual({ answer: 'added', link: null })
    await expect(change(charge('tried'), { dryRun: true })).rejects.toMatchObject({ code: 'LinkOpen' })
    expect(await stored()).toEqual(before)
    expect(await atProvider(link)).toBe('created')
    expect((await cancel(link)).status).toBe(200)
  })

  it('posts the money of a link that was paid, and answers 409 with the new figures', async () => {
    const link = await addLink()
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    await pay(link)
    const refusal = change(charge('after-paid'), { cancelLink: true })
    await expect(refusal).rejects.toMatchObject({ code: 'LinkPaid', extras: { payment_link: { payment_link_id: link, status: 'paid' } } })
    const { duesPaise, principalOutstandingPaise, creditPaise, status } = await loanNow()
    await expect(refusal).rejects.toMatchObject({
      extras: {
        loan: {
          loan_status: status,
          dues: Number(duesPaise) / 100,
          principal_outstanding: Number(principalOutstandingPaise) / 100,
          credit: Number(creditPaise) / 100,
        },
      },
    })
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
    expect((await change(charge('after-paid'))).answer).toBe('added')
  })

  it('changes nothing and answers 503 when the provider does not confirm', async () => {
    const link = await addLink()
    const before = await stored()
    await app.sandbox('/faults', { call: 'cancel', kind: 'reset', times: 1 })
    await expect(change(charge('unknown'), { cancelLink: true })).rejects.toMatchObject({ code: 'PaymentGatewayUnavailable' })
    expect(await stored()).toEqual(before)
    expect(await statusOf(link)).toMatchObject({ status: 'created' })
    expect((await cancel(link)).status).toBe(200)
  })

  it('waits also for a link whose creation was not confirmed', async () => {
    await app.sandbox('/faults', { call: 'create', kind: 'reset_after', times: 1 })
    await app.sandbox('/faults', { call: 'list', kind: 'reset', times: 'forever' })
    expect((await askForLink()).status).toBe(503)
    await expect(change(charge('while-creating'))).rejects.toMatchObject({ code: 'LinkOpen', extras: { payment_link_id: null } })
    await expect(change(charge('while-creating'), { cancelLink: true })).rejects.toMatchObject({ code: 'PaymentGatewayUnavailable' })
    await app.sandbox('/faults', { clear: true })
    expect((await change(charge('while-creating'), { cancelLink: true })).link?.kind).toBe('closed')
  })

  it('records a past fact and cancels the link right after', async () => {
    const link = await addLink()
    const { link: cancelled } = await change(transfer('UTR-BESIDE', 100), { whileLinkOpen: 'cancel_after' })
    expect(cancelled?.kind).toBe('closed')
    expect(await atProvider(link)).toBe('cancelled')
  })

  it('cancels the link later if the provider cannot be reached', async () => {
    const link = await addLink()
    await app.sandbox('/faults', { call: 'cancel', kind: 'reset', times: 3 })
    const { link: cancelled } = await change(reversal('UTR-BESIDE'), { whileLinkOpen: 'cancel_after' })
    expect(cancelled?.kind).toBe('unknown')
    await advanceUntil(app, 20_000, async () => (await atProvider(link)) === 'cancelled')
    await until(async () => (await statusOf(link))['status'] === 'cancelled')
  })

  it('keeps the link if its amount includes the fact', async () => {
    const link = await addLink()
    expect(await change(charge('known-before', 1), { whileLinkOpen: 'keep' })).toEqual({ answer: 'added', link: null })
    expect(await atProvider(link)).toBe('created')
    expect((await cancel(link)).status).toBe(200)
  })
})

it.each(['payment_links_one_standing', 'payment_links_open'])('reads open links by the condition of the index %s', async (name) => {
  const { definition, condition } = await app.database.asSystem(async (sql) => {
    const index = await sql
      .selectFrom('pg_indexes' as never)
      .select('indexdef' as never)
      .where('indexname' as never, '=', name as never)
      .executeTakeFirstOrThrow()
    const { sql: condition } = sql.selectFrom('payment_links').select('loan_id').where(isOpenCondition).compile()
    return { definition: String((index as { indexdef: string }).indexdef), condition }
  })
  const words = (text: string) => [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word)
  expect(words(definition)).toEqual(words(condition))
})
