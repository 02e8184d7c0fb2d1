import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, dayOfMonth, startOfDayInIndiaMs, toDay } from '#domain/calendar.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { returnedUncaptured } from '#domain/notices.ts'
import { addLoan, addPerson } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import { withinTransaction } from '../database/connect.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { approveTranche } from '../tranches/decide-tranche.ts'
import { pdf, upload } from '../documents/files.testing.ts'
import { addNotice } from '../add-notice.ts'
import { announceDue } from '../autopay/announce-due.ts'
import { sendNotices } from './send-notices.ts'

let app: App
const at = (day: string, hour: number) => new Date(startOfDayInIndiaMs(toDay(day)) + hour * 3_600_000)
const noon = at('2026-11-20', 12)
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: noon })
})
afterAll(() => app.close())

type Wire = Record<string, unknown>
let created = 0
const newPerson = async () => {
  created += 1
  const phone = `+9198444${String(created).padStart(5, '0')}`
  const borrowerId = await addPerson(app.database, app.clock.now(), { phone, firstName: 'Bell', lastName: String(created) })
  return { phone, borrowerId, lan: `KST-N-${String(created).padStart(4, '0')}`, token: await app.signIn(phone) }
}
/**
 * A loan with an instalment due in three days or fewer. Borrowers added after the day's run are
 * announced too.
 */
const createLoan = async (
  { borrowerId, lan }: { borrowerId: string; lan: string },
  { dueDay, dueInDays = 3, paidRupees = 0 }: { dueDay?: number; dueInDays?: number; paidRupees?: number } = {},
) => {
  const now = app.clock.now()
  const due = addDays(dayInIndia(now), dueInDays)
  const loan = {
    lan,
    leadId: lan.replace('KST', 'LEAD'),
    title: 'x',
    sanctionedRupees: 200_000,
    disbursals: [{ date: addMonths(due, -1), rupees: 100_000 }],
    annualRatePercent: 12,
    instalments: 12,
    firstDueDate: due,
    ...(dueDay !== undefined && { dueDay }),
  }
  const paid = {
    mode: 'neft',
    reference: `UTR${lan}`,
    amountPaise: rupeesToPaise(paidRupees),
    date: dayInIndia(now),
    purpose: null,
  } as const
  // One transaction: the loan is not announced before its payment is known.
  await app.database.asSystem(async (transaction) => {
    const database = withinTransaction(transaction)
    const { loanId } = await addLoan(database, now, borrowerId, loan)
    if (paidRupees > 0) await withLockedLoan(database, { borrowerId, loanId }, now, (loan) => recordPayment(loan, paid))
  })
  await app.database.asSystem((sql) =>
    sql
      .updateTable('daily_runs')
      .set({ finished_at: null, after_borrower_id: '00000000-0000-0000-0000-000000000000' })
      .where('name', '=', 'due soon')
      .execute(),
  )
  return due
}
const noticesOf = async (token: string) => (await app.get('/portal/notices', token)).body as { notices: Wire[]; unread_count: number }
const notify = (borrowerId: string, about: string) =>
  app.database.asSystem((sql) => addNotice(sql, { borrowerId, about, kind: 'payment_reversed' }, app.clock.now()))
const kindsOf = async (token: string) => (await noticesOf(token)).notices.map(({ kind }) => kind)
const textsTo = (phone: string) => app.outbox().filter(({ to, code }) => to === phone && code === null)

it('of a payment that the provider returned uncaptured, the text message says that it goes back', async () => {
  const { borrowerId, lan, phone } = await newPerson()
  const notice = { borrowerId, lan, about: 'uncaptured:pay_1', kind: 'payment_reversed', amountPaise: paise(500_000n) } as const
  await app.database.asSystem((sql) => addNotice(sql, { ...notice, subject: returnedUncaptured }, app.clock.now()))
  await until(() => textsTo(phone).length > 0)
  expect(textsTo(phone).map(({ text }) => text)).toEqual([
    `Your payment of Rs 5,000.00 for your loan ending ${lan.slice(-4)} was approved too late and goes back to where it came from. See the portal for what is due. - Kist`,
  ])
})

describe('the bell', () => {
  it('announces instalments due in three days, once, in the portal and by text message', async () => {
    const person = await newPerson()
    const { token, phone, lan } = person
    const due = await createLoan(person)
    await until(async () => (await noticesOf(token)).notices.length > 0)
    expect(await noticesOf(token)).toMatchObject({
      unread_count: 1,
      notices: [{ kind: 'due_soon', lan, amount: 8885, date: due, read_at: null }],
    })
    await until(() => textsTo(phone).length > 0)
    expect(textsTo(phone)[0]?.text).toBe(
      `Rs 8,885.00 of your loan ending ${lan.slice(-4)} falls due on 23 Nov 2026. Please pay in the portal. - Kist`,
    )
    await Promise.all([announceDue(app.context), announceDue(app.context), sendNotices(app.context), sendNotices(app.context)])
    expect((await noticesOf(token)).notices).toHaveLength(1)
    expect(textsTo(phone)).toHaveLength(1)
  })

  it('announces what credit will leave of an instalment, and nothing of one that was paid in advance', async () => {
    const [inPart, whole, later] = [await newPerson(), await newPerson(), await newPerson()]
    await createLoan(inPart, { paidRupees: 5_000 })
    await createLoan(whole, { paidRupees: 8_885 })
    await createLoan(later)
    const amountsOf = async ({ token }: { token: string }) =>
      (await noticesOf(token)).notices.filter(({ kind }) => kind === 'due_soon').map(({ amount }) => amount)
    // Borrowers are announced in the order of their ids: the last one was created last.
    await until(async () => (await amountsOf(later)).length > 0)
    expect(await Promise.all([inPart, whole, later].map(amountsOf))).toEqual([[3_885], [], [8_885]])
  })

  it('announces a first instalment with another day of the month than the later ones', async () => {
    const person = await newPerson()
    const due = await createLoan(person, { dueDay: 5 })
    expect(dayOfMonth(due)).not.toBe(5)
    await until(async () => (await noticesOf(person.token)).notices.length > 0)
    expect((await noticesOf(person.token)).notices).toMatchObject([{ kind: 'due_soon', lan: person.lan, date: due }])
  })

  it('announces an instalment late, but once, if no worker ran three days before', async () => {
    const person = await newPerson()
    const due = await createLoan(person, { dueInDays: 1 })
    await until(async () => (await noticesOf(person.token)).notices.length > 0)
    await Promise.all([announceDue(app.context), announceDue(app.context)])
    expect((await noticesOf(person.token)).notices).toMatchObject([{ kind: 'due_soon', lan: person.lan, date: due }])
  })

  it('announces a document that staff added, not the borrower’s own', async () => {
    const person = await newPerson()
    const { borrowerId, token, lan } = person
    await createLoan(person)
    const { body } = await app.get('/portal/loans-summary', token)
    const [{ lead_id = '', partner_loan_id = '' } = {}] = body['loans'] as { lead_id: string; partner_loan_id: string | null }[]
    const fields = { document_type: 'Transcript', lead_id, partner_loan_id: partner_loan_id ?? '', lan }
    expect((await upload(app, token, { fields, content: pdf(), filename: 'own.pdf' })).status).toBe(200)
    const staff = await app.signIn(demoPhone(9))
    const assumed = String((await app.post('/auth/assume', { user_id_to_assume: borrowerId }, staff)).body['token'])
    const theirs = await upload(app, assumed, { fields, content: pdf({ objects: 'theirs' }), filename: 'theirs.pdf' })
    expect(theirs.status).toBe(200)
    const added = (await noticesOf(token)).notices.filter(({ kind }) => kind === 'document_added')
    expect(added).toMatchObject([{ subject: 'theirs.pdf', lan, is_new: true }])
  })

  it('announces a decision on a tranche', async () => {
    const person = await newPerson()
    const { token, phone, lan } = person
    await createLoan(person)
    const { body } = await app.post('/portal/tranche', { lead_id: lan, lan, amount: 50_000, date: '2026-11-25' }, token)
    const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    if (!key) throw new Error('no loan')
    await withLockedLoan(app.database, key, app.clock.now(), (loan) => approveTranche(loan, String(body['partner_tranche_id'])))
    expect((await noticesOf(token)).notices).toContainEqual(
      expect.objectContaining({ kind: 'tranche_approved', amount: 50_000, date: '2026-11-25' }),
    )
    await until(() => textsTo(phone).some(({ text }) => text.includes('is approved')))
  })

  it('is marked as read by its owner, singly or all at once, never by staff', async () => {
    const { borrowerId, token } = await newPerson()
    for (const about of ['one', 'two', 'three']) await notify(borrowerId, about)
    const staff = await app.signIn(demoPhone(9))
    const assumed = String((await app.post('/auth/assume', { user_id_to_assume: borrowerId }, staff)).body['token'])
    const { notices, unread_count: unread } = await noticesOf(token)
    expect(unread).toBe(4)
    expect((await app.post('/portal/notices/read', {}, assumed)).body).toEqual({ unread_count: unread })
    expect((await app.post('/portal/notices/read', { notice_ids: [notices[0]?.['notice_id'], 'nothing'] }, token)).body).toEqual({
      unread_count: unread - 1,
    })
    expect((await app.post('/portal/notices/read', { notice_ids: [] }, token)).body).toEqual({ unread_count: unread - 1 })
    const other = await app.signIn(demoPhone(2))
    await app.post('/portal/notices/read', { notice_ids: notices.map((notice) => notice['notice_id']) }, other)
    expect((await noticesOf(token)).unread_count).toBe(unread - 1)
    expect((await app.post('/portal/notices/read', {}, token)).body).toEqual({ unread_count: 0 })
    expect((await noticesOf(token)).notices.every((notice) => notice['read_at'] !== null && notice['is_new'] === false)).toBe(true)
  })

  it('marks as read what was shown and what is older, and leaves what came since', async () => {
    const { borrowerId, token } = await newPerson()
    await notify(borrowerId, 'one')
    const shown = (await noticesOf(token)).notices.map((notice) => notice['notice_id'])
    await app.clock.advance(1)
    await notify(borrowerId, 'since')
    expect((await app.post('/portal/notices/read', { up_to: shown[0] }, token)).body).toEqual({ unread_count: 1 })
    const { notices } = await noticesOf(token)
    expect(notices.map((notice) => [shown.includes(notice['notice_id']), notice['is_new']])).toEqual([
      [false, true],
      ...shown.map(() => [true, false]),
    ])
    // Neither the id of nothing nor that of somebody else’s notice.
    const other = await newPerson()
    await notify(other.borrowerId, 'theirs')
    for (const id of ['nothing', (await noticesOf(other.token)).notices[0]?.['notice_id']])
      expect((await app.post('/portal/notices/read', { up_to: id }, token)).body).toEqual({ unread_count: 1 })
  })

  it('has text messages that are sent within a day, those of a rate reset within a week; later they are only in the bell, as too late', async () => {
    const { borrowerId } = await newPerson()
    const smsAfter = async (days: number) => {
      const kinds = ['payment_applied', 'rate_reset_notified'] as const
      const wrote = new Date(app.clock.now().getTime() - days * 86_400_000)
      await app.database.asSystem(async (sql) => {
        for (const kind of kinds) await addNotice(sql, { borrowerId, about: `${kind}:${days}`, kind, date: toDay('2027-01-01') }, wrote)
      })
      const states = () =>
        app.database.asSystem((sql) =>
          sql
            .selectFrom('notices')
            .select('sms')
            .where('borrower_id', '=', borrowerId)
            .where('created_at', '=', wrote)
            .orderBy('kind')
            .execute(),
        )
      await until(async () => (await states()).every(({ sms }) => sms !== 'waiting'))
      return (await states()).map(({ sms }) => sms)
    }
    expect(await smsAfter(0.9)).toEqual(['queued', 'queued'])
    expect(await smsAfter(6)).toEqual(['too_late', 'queued'])
    expect(await smsAfter(8)).toEqual(['too_late', 'too_late'])
  })

  it('sends nothing about events before yesterday, such as the demo’s past', () => {
    expect(textsTo(demoPhone(1))).toEqual([])
  })
})

describe('what is new', () => {
  it('is nothing older than the first sign-in', async () => {
    const phone = '+919844499001'
    const borrowerId = await addPerson(app.database, app.clock.now(), { phone, firstName: 'New', lastName: 'Person' })
    await notify(borrowerId, 'before')
    const token = await app.signIn(phone)
    expect(await noticesOf(token)).toMatchObject({ unread_count: 0, notices: [{ is_new: false, read_at: null }] })
    await notify(borrowerId, 'after')
    expect(await noticesOf(token)).toMatchObject({ unread_count: 1, notices: [{ is_new: true }, { is_new: false }] })
  })
})

describe('security', () => {
  it('a sign-in on a device that is known is not noticed, until ending the other sessions made it unknown', async () => {
    const { addPerson: add, signInOn, call } = signInSteps(app)
    const { phone } = await add()
    const first = await signInOn(phone)
    const again = await signInOn(phone, first)
    expect(await kindsOf(again.token)).toEqual([])
    const other = await signInOn(phone)
    expect(await kindsOf(other.token)).toEqual(['new_device'])
    await call('DELETE', '/auth/sessions', undefined, `Bearer ${other.token}`, other)
    const third = await signInOn(phone, again)
    expect(await kindsOf(third.token)).toEqual(['new_device', 'sessions_ended', 'new_device'])
  })

  it('staff who act for a borrower are noticed, with their reason', async () => {
    const { borrowerId, token } = await newPerson()
    const staff = await app.signIn(demoPhone(9))
    await app.post('/auth/assume', { user_id_to_assume: borrowerId, reason: 'asked by phone' }, staff)
    expect((await noticesOf(token)).notices).toMatchObject([{ kind: 'staff_assumed', subject: 'asked by phone' }])
  })
})

describe('a carrier that accepts only registered templates', () => {
  it('gets messages with a template; the others are only in the portal, and the notice has the reason', async () => {
    await app.clock.advance(86_400_000)
    const registered = { text: 'Rs {amount} due {date}, loan {loan}. {brand}', templateId: '1207161111111111111' }
    const { smsTemplates } = app.context.config
    const config = {
      ...app.context.config,
      sms: { authKey: 'k', sender: 'MGHDUT', dltEntityId: '1', baseUrl: 'http://127.0.0.1:9', timeoutMs: 100 },
      smsTemplates: { ...smsTemplates, due_soon: { ...smsTemplates.due_soon, hi: registered } },
    }
    const queued: Wire[] = []
    const jobs = { enqueue: async (_sql: unknown, _queue: string, data: unknown) => void queued.push(data as Wire) }
    const [english, hindi] = [await newPerson(), await newPerson()]
    await app.patch('/portal/notice-preferences', { language: 'hi' }, hindi.token)
    const now = app.clock.now()
    // One transaction, so that the portal's own worker does not send them first.
    await app.database.asSystem(async (sql) => {
      for (const { borrowerId, lan } of [english, hindi])
        await addNotice(
          sql,
          { borrowerId, about: 'due:test', kind: 'due_soon', lan, amountPaise: paise(888_500n), date: toDay('2026-11-25') },
          now,
        )
      await sendNotices({ ...app.context, config, jobs, database: withinTransaction(sql) })
    })
    const stateOf = ({ borrowerId }: { borrowerId: string }) =>
      app.database.asSystem((sql) =>
        sql
          .selectFrom('notices')
          .select('sms')
          .where('borrower_id', '=', borrowerId)
          .where('about', '=', 'due:test')
          .executeTakeFirstOrThrow(),
      )
    expect(queued).toEqual([
      expect.objectContaining({
        to: hindi.phone,
        text: `Rs 8,885.00 due 25 नवंबर 2026, loan ${hindi.lan.slice(-4)}. Kist`,
        templateId: registered.templateId,
      }),
    ])
    expect([await stateOf(english), await stateOf(hindi)]).toEqual([{ sms: 'no_template' }, { sms: 'queued' }])
    expect((await noticesOf(english.token)).notices).toMatchObject([{ kind: 'due_soon', sms: 'no_template' }])
    expect((await noticesOf(hindi.token)).notices).toMatchObject([{ kind: 'due_soon', sms: 'queued' }])
  })
})

describe('preferences', () => {
  it('are all on by default; a disabled kind is only in the portal', async () => {
    await app.clock.advance(86_400_000)
    const person = await newPerson()
    const other = await newPerson()
    const { token, phone } = person
    expect((await app.get('/portal/notice-preferences', token)).body).toEqual({
      sms_payments: true,
      sms_tranches: true,
      sms_due_soon: true,
      language: 'en',
    })
    expect((await app.patch('/portal/notice-preferences', { sms_due_soon: false, language: 'hi' }, token)).body).toEqual({
      sms_payments: true,
      sms_tranches: true,
      sms_due_soon: false,
      language: 'hi',
    })
    expect((await app.patch('/portal/notice-preferences', { sms_due_soon: 'no' }, token)).status).toBe(400)
    expect((await app.patch('/portal/notice-preferences', { language: 'hi' }, other.token)).status).toBe(200)
    await createLoan(person)
    await createLoan(other)
    await until(async () => (await noticesOf(token)).notices.length > 0)
    await until(() => textsTo(other.phone).length > 0)
    expect((await noticesOf(token)).notices).toHaveLength(1)
    expect(textsTo(other.phone).map(({ text }) => text)).toEqual([expect.stringMatching(/देय हैं/)])
    expect(textsTo(phone)).toEqual([])
  })
})
