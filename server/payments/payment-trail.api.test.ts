import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { reversePayment } from '#server/loan-changes/reverse-payment.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { fetchFile } from '#server/documents/files.testing.ts'
import { dayText } from '#domain/written-figures.ts'
import { readPdf } from '#server/documents/pdf-text.testing.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { firstLoan, openLink, payLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'

type Part = { component: string; amount: number; instalment_number?: number; due_date?: string; charge_type?: string }
type Step = {
  step: string
  at: string
  amount?: number
  payment_id?: string
  allocation?: Part[]
  receipt_number?: string
  bank_reference?: string
}
type Offer = {
  overdue_payment: { amount: number }
  next_emi_payment?: { amount: number; due_date: string }
  part_payment: { min_allowed_amount: number }
}

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: new Date('2026-11-20T05:12:00Z') })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

async function signedIn(number: number) {
  const token = await app.signIn(demoPhone(number))
  const lan = await firstLoan(app, token)
  const trail = (id: string) => app.get(`/portal/payments/${id}/trail`, token)
  return {
    lan,
    trail,
    offer: async () => (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body['allowed_payments'] as Offer,
    steps: async (id: string) => (await trail(id)).body['steps'] as Step[],
    status: async (id: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${id}`, token)).body,
    cancel: (id: string) => app.patch(`/payments/payment-link/cancel?payment_link_id=${id}`, {}, token),
    create: (amount: number | undefined, purpose = 'PAY_EMI') =>
      openLink(app, token, { lan, purpose, ...(amount !== undefined && { amount }) }),
  }
}
type Borrower = Awaited<ReturnType<typeof signedIn>>

const names = (steps: readonly Step[]) => steps.map(({ step }) => step)
const pay = (id: string) => payLink(app, id)
async function paid(borrower: Borrower, amount: number | undefined, purpose?: string): Promise<string> {
  const id = await borrower.create(amount, purpose)
  await pay(id)
  await until(async () => (await borrower.status(id))['rps_updated'])
  return id
}
const total = (parts: readonly Part[] = []) => parts.reduce((sum, part) => sum + Math.round(part.amount * 100), 0)
const inLedger = <T>(lan: string, work: (loan: LoanTransaction) => Promise<T>) =>
  app.database.asSystem(async (sql) => {
    const { borrower_id, loan_id } = await sql.selectFrom('loan_numbers').selectAll().where('lan', '=', lan).executeTakeFirstOrThrow()
    return work({ sql, own: await lockOwnLoan(sql, borrower_id, loan_id), now: app.clock.now(), actorId: 'operator' })
  })

describe('the trail of a payment', () => {
  it('goes from the request to the receipt, each step after its cause', async () => {
    const borrower = await signedIn(7)
    const { next_emi_payment: emi } = await borrower.offer()
    const id = await paid(borrower, emi?.amount)
    const { status, body } = await borrower.trail(id)
    expect(status).toBe(200)
    expect(body['payment_link']).toMatchObject({ payment_link_id: id, status: 'paid', rps_updated: true })
    const steps = body['steps'] as Step[]
    expect(names(steps)).toEqual(['asked', 'link_ready', 'paid', 'received', 'applied', 'receipt'])
    const { payment_id, bank_reference } = body['payment_link'] as { payment_id: string; bank_reference: string }
    expect(steps[2]).toMatchObject({ payment_id, amount: emi?.amount, method: 'upi', bank_reference })
    const [interest, principal, ...more] = steps[4]?.allocation ?? []
    expect(more).toEqual([])
    expect([interest, principal]).toMatchObject([
      { component: 'interest', instalment_number: 6, due_date: emi?.due_date },
      { component: 'principal', instalment_number: 6, due_date: emi?.due_date },
    ])
    expect(total(steps[4]?.allocation)).toBe(Math.round((emi?.amount ?? 0) * 100))
    expect(steps[5]).toMatchObject({ receipt_number: `${borrower.lan}-R6`, payment_id })
  })

  it('of an open link contains the steps so far', async () => {
    const borrower = await signedIn(11)
    const id = await borrower.create((await borrower.offer()).next_emi_payment?.amount)
    expect(names(await borrower.steps(id))).toEqual(['asked', 'link_ready'])
    await borrower.cancel(id)
    expect(names(await borrower.steps(id))).toEqual(['asked', 'link_ready', 'cancelled'])
  })

  it('of a part payment contains the prepaid principal', async () => {
    const borrower = await signedIn(1)
    const { part_payment: range } = await borrower.offer()
    const id = await paid(borrower, range.min_allowed_amount, 'PART_PAYMENT__REDUCE_EMI')
    const applied = (await borrower.steps(id)).find(({ step }) => step === 'applied')
    expect(applied?.allocation).toEqual([{ component: 'principal', amount: range.min_allowed_amount }])
  })

  it('contains a reallocation by a back-dated payment, and a reversal', async () => {
    const borrower = await signedIn(2)
    const id = await paid(borrower, (await borrower.offer()).overdue_payment.amount, 'OVERDUE')
    const now = app.clock.now()
    const earlier = {
      mode: 'neft',
      reference: 'UTR-EARLIER',
      amountPaise: rupeesToPaise(1_000),
      date: addDays(dayInIndia(now), -10),
      purpose: null,
    } as const
    await inLedger(borrower.lan, (loan) => recordPayment(loan, earlier))
    const moved = await borrower.steps(id)
    expect(names(moved).slice(-3)).toEqual(['applied', 'receipt', 'reallocated'])
    const [applied, , reallocated] = moved.slice(-3)
    expect(reallocated?.allocation).not.toEqual(applied?.allocation)
    expect(total(reallocated?.allocation)).toBe(total(applied?.allocation))
    await inLedger(borrower.lan, (loan) => reversePayment(loan, 'neft', 'UTR-EARLIER'))
    const back = (await borrower.steps(id)).at(-1)
    expect(back).toMatchObject({ step: 'reallocated', allocation: applied?.allocation })
    await inLedger(borrower.lan, (loan) => reversePayment(loan, 'razorpay', String(back?.payment_id)))
    expect(names(await borrower.steps(id)).at(-1)).toBe('reversed')
  })
})

describe('a refund', () => {
  it('has its steps from the payment to the bank reference, beside the payment that counts', async () => {
    const borrower = await signedIn(11)
    const id = await paid(borrower, (await borrower.offer()).next_emi_payment?.amount)
    const first = await borrower.steps(id)
    // The provider's times are whole seconds, so payments within one second have no order.
    await app.clock.advance(60_000)
    await payLink(app, id, { second_capture: 'keep' })
    await until(async () => names(await borrower.steps(id)).includes('refund_asked'))
    const [, second] = (await borrower.steps(id)).filter(({ step }) => step === 'applied')
    expect(second?.allocation).toEqual([{ component: 'refund', amount: second?.amount }])
    await app.clock.advance(15_000)
    await until(async () => names(await borrower.steps(id)).includes('refunded'))
    const steps = await borrower.steps(id)
    expect(steps.slice(0, 6)).toEqual(first)
    expect(names(steps).slice(6)).toEqual(['paid', 'received', 'applied', 'receipt', 'refund_asked', 'refunded'])
    expect(new Set(steps.slice(6).map(({ payment_id }) => payment_id)).size).toBe(1)
    expect(steps.at(-1)).toMatchObject({ amount: first[2]?.amount, bank_reference: expect.stringMatching(/^\d{12}$/) })

    // The receipt of the refunded payment is marked as cancelled; the other is valid.
    const [kept, returned] = steps.filter(({ step }) => step === 'receipt').map(({ receipt_number }) => String(receipt_number))
    const token = await app.signIn(demoPhone(11))
    const write = async (number = '') =>
      (await app.get(`/portal/generate-document?lead_id=${borrower.lan}&doc_type=payment_receipt&receipt_number=${number}`, token)).body
    const verified = async (number = '') =>
      (await app.get(`/documents/verify?code=${String((await write(number))['verification_code'])}`)).body
    expect(await verified(kept)).toMatchObject({ cancelled_on: null })
    expect(await verified(returned)).toMatchObject({ cancelled_on: dayInIndia(app.clock.now()) })
    const { pathname, search } = new URL(String((await write(returned))['doc_url']))
    const { text, title } = await readPdf(new Uint8Array(await (await fetchFile(app, pathname + search)).arrayBuffer()))
    expect(title).toBe('Payment receipt (cancelled)')
    expect(text).toContain(
      `was refunded on ${dayText(dayInIndia(app.clock.now()), 'en')}. (bank reference ${steps.at(-1)?.bank_reference})`,
    )
    expect(text).toContain('Refunded to the payer')
  })
})

describe('another borrower’s link', () => {
  it('is answered like an unknown link', async () => {
    const borrower = await signedIn(1)
    const other = await signedIn(4)
    const { payment_links: own } = (
      await app.get(`/portal/completed-payments?application_id=${borrower.lan}`, await app.signIn(demoPhone(1)))
    ).body as {
      payment_links: { payment_link_id: string }[]
    }
    const answers = await Promise.all([other.trail(own[0]?.payment_link_id ?? ''), other.trail('plink_00000000000000'), other.trail('x')])
    const bodies = answers.map(({ status, body }) => ({ status, body: { ...body, request_id: '' } }))
    expect(bodies[0]).toMatchObject({ status: 404, body: { code: 'NotFound' } })
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]])
    expect((await app.get(`/portal/payments/${own[0]?.payment_link_id}/trail`)).status).toBe(401)
  })
})

describe('what a payment changed', () => {
  it('is the balance and the instalments left without and with it, also after later payments', async () => {
    const borrower = await signedIn(7)
    const loan = async () => {
      const { body } = await app.get('/portal/loans-summary', await app.signIn(demoPhone(7)))
      return (body['loans'] as { principal_outstanding: number; number_of_emis_due: number }[])[0]
    }
    const effect = async (id: string) => (await borrower.trail(id)).body['effect']
    const before = await loan()
    const amount = (await borrower.offer()).next_emi_payment?.amount
    const id = await borrower.create(amount)
    expect(await effect(id)).toBeNull()
    await pay(id)
    await until(async () => (await borrower.status(id))['rps_updated'])
    const after = await loan()
    const changed = {
      received: amount,
      principal_before: before?.principal_outstanding,
      principal_after: after?.principal_outstanding,
      instalments_left_before: before?.number_of_emis_due,
      instalments_left_after: after?.number_of_emis_due,
    }
    expect(changed.instalments_left_after).toBe((changed.instalments_left_before ?? 0) - 1)
    expect(await effect(id)).toEqual(changed)
    expect((await borrower.trail(id)).body['lan']).toBe(borrower.lan)
    await paid(borrower, (await borrower.offer()).part_payment.min_allowed_amount, 'PART_PAYMENT__REDUCE_TENOR')
    await app.clock.advance(40 * 86_400_000)
    expect((await (await signedIn(7)).trail(id)).body['effect']).toEqual(changed)
  })

  it('counts a second capture of the same link only once, because it goes back', async () => {
    const borrower = await signedIn(11)
    const amount = (await borrower.offer()).next_emi_payment?.amount
    const id = await paid(borrower, amount)
    const once = (await borrower.trail(id)).body['effect']
    expect(once).toMatchObject({ received: amount })
    await app.clock.advance(60_000)
    await payLink(app, id, { second_capture: 'keep' })
    await until(async () => names(await borrower.steps(id)).includes('refund_asked'))
    expect((await borrower.trail(id)).body['effect']).toEqual(once)
  })
})
