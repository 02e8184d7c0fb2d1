import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addDays, type Day } from '#domain/calendar.ts'
import { createLog } from '#server/log.ts'
import { advanceUntil } from '#testkit/advance-until.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import { endAtProvider } from './cancel-mandate.ts'
import { withMandate } from './collection-transaction.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { changeMandateRow } from './mandate-store.ts'
import { announce, expectRest, moveTo, newBorrower, startStage } from './stage.testing.ts'
import { syncMandate } from './sync-mandate.ts'

let app: App
const logged: string[] = []
beforeAll(async () => {
  app = await startStage({
    settings: { RAZORPAY_TIMEOUT_MS: '15000' },
    log: createLog({ logLevel: 'trace', production: true }, { write: (line) => logged.push(line) }),
  })
})
afterEach(async () => {
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const refusalsOf = async (borrower: Awaited<ReturnType<typeof newBorrower>>, change: object) => {
  const { status, body } = await borrower.post('/portal/autopay/mandates', { ...borrower.setUpRequest('emandate'), ...change })
  return [status, body['code'], body['field']]
}
const account = { beneficiary_name: 'Meera Joshi', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' }

describe('setting up autopay', () => {
  it('refuses each wrong field by its name, and repeats no account number', async () => {
    const borrower = await newBorrower(app)
    const invalid = (field: string) => [422, 'AutopayFieldInvalid', field]
    expect(await refusalsOf(borrower, { consent_version: '2020-01' })).toEqual(invalid('consent_version'))
    expect(await refusalsOf(borrower, { auth_type: undefined })).toEqual(invalid('auth_type'))
    expect(await refusalsOf(borrower, { account: undefined })).toEqual(invalid('account'))
    expect(await refusalsOf(borrower, { account: { ...account, ifsc_code: 'HDFC1000001' } })).toEqual(invalid('account.ifsc_code'))
    expect(await refusalsOf(borrower, { account: { ...account, account_number: '12345678' } })).toEqual(invalid('account.account_number'))
    expect(await refusalsOf(borrower, { account: { ...account, beneficiary_name: 'Me' } })).toEqual(invalid('account.beneficiary_name'))
    expect(await refusalsOf(borrower, { max_amount: 100 })).toEqual(invalid('max_amount'))
    expect(await refusalsOf(borrower, { max_amount: 99_999_999 })).toEqual(invalid('max_amount'))
    const { body } = await borrower.post('/portal/autopay/mandates', {
      ...borrower.setUpRequest('emandate'),
      account: { ...account, account_number: '11214311215x' },
    })
    expect(JSON.stringify(body)).not.toContain('11214311215')
  })

  it('makes one mandate, and a repeat with its key is the first answer though the account differs', async () => {
    const borrower = await newBorrower(app)
    const key = { 'idempotency-key': 'set-up-once-0001' }
    const first = await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('emandate'), key)
    const again = await borrower.post(
      '/portal/autopay/mandates',
      { ...borrower.setUpRequest('emandate'), account: { ...account, account_number: '998877665544' } },
      key,
    )
    expect([first.status, again.body]).toEqual([200, first.body])
    expect((await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('emandate'))).body).toMatchObject({
      code: 'MandateExists',
    })
  })

  it('keeps no account number in any table, log or answer, whatever the provider answers', async () => {
    const borrower = await newBorrower(app)
    const setUpWith = async (fault: object, key: string) => {
      await app.sandbox('/faults', { call: 'registration_create', ...fault })
      return borrower.post('/portal/autopay/mandates', borrower.setUpRequest('emandate'), { 'idempotency-key': `set-up-${key}-0001` })
    }
    const refused = await setUpWith({ kind: 'status', status: 400 }, 'refused')
    expect([refused.status, refused.body['code']]).toEqual([502, 'PaymentGatewayRefused'])
    expect(await borrower.mandate()).toMatchObject({ status: 'cancelled', end_reason: 'refused' })
    const unclear = await setUpWith({ kind: 'malformed_json' }, 'unclear')
    expect([unclear.status, unclear.body['code']]).toEqual([503, 'PaymentGatewayUnavailable'])
    await app.clock.advance(2 * 3_600_000)
    await until(async () => (await borrower.mandate()).status === 'expired')
    await borrower.setUp('emandate')
    const { superuserUrl } = app.databaseUrls
    const tables = await queryOnce(
      superuserUrl,
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^pg_|^information'",
    )
    const rowsWith = async (text: string) => {
      const hex = Buffer.from(text).toString('hex')
      const counts = tables.map(
        ({ name }) => `select '${name}' as name from ${name} t where t::text like any (array['%${text}%', '%${hex}%'])`,
      )
      return (await queryOnce(superuserUrl, counts.join(' union '))).map(({ name }) => name)
    }
    expect(await rowsWith('HDFC 2154')).toContain('public.mandates')
    // The event of the confirmation contains the account.
    await until(async () => (await rowsWith('XXXXXXXX2154')).includes('public.webhook_inbox'))
    expect(await rowsWith('112143112154')).toEqual([])
    expect(logged.join()).toContain('provider refused to set up a mandate')
    expect(logged.join() + JSON.stringify([refused.body, unclear.body])).not.toContain('112143112154')
  })

  it('20 an hour for a borrower, also of those that the provider refuses; then 429 without asking the provider', async () => {
    const borrower = await newBorrower(app)
    await borrower.session()
    const { signIn } = app.context.config
    const relaxed = signIn.limits
    signIn.limits = 'strict'
    const asked = vi.spyOn(app.context.gateway, 'createRegistration').mockResolvedValue({ kind: 'refused', reason: 'IFSC' })
    onTestFinished(() => {
      signIn.limits = relaxed
      asked.mockRestore()
    })
    const setUp = () => borrower.post('/portal/autopay/mandates', borrower.setUpRequest('emandate'))
    for (let count = 1; count <= 20; count += 1) expect((await setUp()).body['code']).toBe('PaymentGatewayRefused')
    const refused = await setUp()
    expect([refused.status, refused.body['code'], asked.mock.calls.length]).toEqual([429, 'TooManyRequests', 20])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
    await app.clock.advance(3_600_000)
    asked.mockRestore()
    signIn.limits = relaxed
    await borrower.setUp('emandate')
  })

  it('a method that is not on offer for the loan is refused', async () => {
    const large = { sanctionedRupees: 1_000_000, disbursals: [{ date: '2026-06-30' as Day, rupees: 1_000_000 }] }
    const borrower = await newBorrower(app, { loan: large })
    const { status, body } = await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'))
    expect([status, body['code']]).toEqual([409, 'AutopayNotOffered'])
    await borrower.setUp('emandate')
  })

  it('a provider that does not answer: 503, and the same request finds the page that was made', async () => {
    const borrower = await newBorrower(app)
    await app.sandbox('/faults', { call: 'registration_create', kind: 'timeout_after' })
    const key = { 'idempotency-key': 'set-up-lost-0001' }
    const setUp = async () => {
      const { status, body } = await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'), key)
      return [status, body['code']]
    }
    expect(await setUp()).toEqual([503, 'PaymentGatewayUnavailable'])
    expect(await setUp()).toEqual([200, undefined])
    const { registrations } = (await app.sandbox('/state')) as { registrations: { receipt: string }[] }
    const { reference } = await borrower.mandate()
    expect(registrations.filter(({ receipt }) => receipt === reference)).toHaveLength(1)
  })

  it('a page that was still being made when it was looked for: found when the provider refuses a second one', async () => {
    const borrower = await newBorrower(app)
    await app.sandbox('/faults', { call: 'registration_create', kind: 'timeout_after' })
    const key = { 'idempotency-key': 'set-up-slow-0001' }
    const setUp = () => borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'), key)
    expect((await setUp()).status).toBe(503)
    const { gateway } = app.context
    let looks = 0
    app.context.gateway = {
      ...gateway,
      findRegistration: async (reference) => (looks++ === 0 ? { kind: 'absent' } : gateway.findRegistration(reference)),
      createRegistration: async () => ({ kind: 'refused', reason: 'its receipt exists' }),
    }
    expect((await setUp()).status).toBe(200)
    app.context.gateway = gateway
    expect(await borrower.mandate()).toMatchObject({ status: 'issued' })
  })

  it('a registration with another reference is not taken over, nor is its token', async () => {
    const [other, borrower] = [await newBorrower(app), await newBorrower(app)]
    await other.setUp()
    const { invoice_id: otherPage } = await other.mandate()
    const { gateway } = app.context
    const key = { 'idempotency-key': 'set-up-another-0001' }
    const setUp = () => borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'), key)
    app.context.gateway = {
      ...gateway,
      createRegistration: async (order) => {
        const outcome = await gateway.createRegistration(order)
        return outcome.kind === 'created' ? { ...outcome, registration: { ...outcome.registration, reference: 'another' } } : outcome
      },
    }
    expect((await setUp()).status).toBe(503)
    expect(await borrower.mandate()).toMatchObject({ status: 'creating', invoice_id: null })
    app.context.gateway = gateway
    expect([(await setUp()).status, (await borrower.mandate()).status]).toEqual([200, 'issued'])

    app.context.gateway = { ...gateway, fetchRegistration: () => gateway.fetchRegistration(otherPage ?? '') }
    const { mandate } = await syncMandate(app.context, await borrower.mandate())
    expect(mandate).toMatchObject({ status: 'issued', token_id: null })
    app.context.gateway = gateway
  })

  it('a page that nobody approves expires, and another mandate can be set up', async () => {
    const borrower = await newBorrower(app)
    await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'))
    await app.clock.advance(2 * 3_600_000)
    await until(async () => (await borrower.mandate()).status === 'expired')
    await borrower.setUp()
  })

  it('a page that was paid without a mandate is given up a day after its end, and another can be set up', async () => {
    const borrower = await newBorrower(app)
    await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'))
    const { gateway } = app.context
    app.context.gateway = {
      ...gateway,
      fetchRegistration: async (invoiceId) => {
        const outcome = await gateway.fetchRegistration(invoiceId)
        return outcome.kind === 'found'
          ? { ...outcome, registration: { ...outcome.registration, status: 'paid', paymentId: null } }
          : outcome
      },
    }
    await app.clock.advance(24 * 3_600_000)
    const { mandate } = await syncMandate(app.context, await borrower.mandate())
    expect(mandate).toMatchObject({ status: 'issued' })
    await app.clock.advance(2 * 3_600_000)
    expect((await syncMandate(app.context, mandate)).mandate).toMatchObject({ status: 'cancelled', end_reason: 'bank' })
    app.context.gateway = gateway
    expect(await borrower.noticeKinds()).toContain('autopay_ended')
    await borrower.setUp()
  })

  it('an eMandate waits for its bank, and a rejection ends it', async () => {
    const borrower = await newBorrower(app)
    await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('emandate'))
    const { invoice_id, mandate_id } = await borrower.mandate()
    const { token } = (await app.sandbox(`/registrations/${invoice_id}/approve`, {})) as { token: { id: string } }
    await until(async () => (await borrower.mandate()).status === 'initiated')
    await app.sandbox(`/mandates/${token.id}/reject`, {})
    await until(async () => (await borrower.mandate()).status === 'rejected')
    expect((await borrower.get(`/portal/autopay/mandates/${mandate_id}`)).body['mandate']).toMatchObject({
      status: 'rejected',
      reason: 'bank',
    })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_ended', subject: 'rejected' }))
  })

  it('an eMandate that the borrower cancels while the bank decides: a rejection by the bank ends it', async () => {
    const borrower = await newBorrower(app)
    await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('emandate'))
    const { invoice_id } = await borrower.mandate()
    const { token } = (await app.sandbox(`/registrations/${invoice_id}/approve`, {})) as { token: { id: string } }
    const initiated = await until(async () => {
      const mandate = await borrower.mandate()
      return mandate.status === 'initiated' ? mandate : null
    })
    await withMandate(app.context, initiated, async (step) => {
      await requestMandateEnd(step, 'borrower')
      // The provider is not asked before the bank rejects it.
      await changeMandateRow(step.sql, initiated, { next_check_at: noFurtherCheck })
    })
    await app.sandbox(`/mandates/${token.id}/reject`, {})
    expect(await until(async () => ((await borrower.mandate()).status === 'ended' ? borrower.mandate() : null))).toMatchObject({
      end_reason: 'borrower',
    })
  })

  it('mid-month: the first debit is the first due date at least three days away', async () => {
    const borrower = await newBorrower(app, { dueOn: '2026-11-22' as Day })
    await borrower.setUp()
    expect((await borrower.collections())[0]).toMatchObject({ due_on: '2026-12-22' })
  })

  it('ends a year after the last due date of the wholly disbursed loan, which a fixed instalment has later', async () => {
    const loan = {
      sanctionedRupees: 900_000,
      disbursals: [{ date: '2026-10-30' as Day, rupees: 100_000 }],
      instalments: 120,
      fixedInstalmentRupees: 14_000,
    }
    const borrower = await newBorrower(app, { loan, paid: 0 })
    // Of 1,00,000 the last instalment falls due on 30 June 2027, of 9,00,000 on 30 May 2035.
    expect((await borrower.setUp()).ends_on).toBe('2036-05-30')
  })

  it('due day 31: debited on the last day of a short month', async () => {
    const borrower = await newBorrower(app, { dueOn: '2026-11-30' as Day, loan: { dueDay: 31, firstDueDate: '2026-07-31' as Day } })
    await borrower.setUp()
    expect((await borrower.collections())[0]).toMatchObject({ due_on: '2026-11-30', debit_on: '2026-11-30' })
  })
})

describe('an active mandate', () => {
  it('cancelled in the app between announcement and presentation: nothing is debited', async () => {
    const borrower = await newBorrower(app)
    const { token_id } = await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox(`/mandates/${token_id}/cancel`, {})
    await until(async () => (await borrower.mandate()).status === 'ended')
    await moveTo(app, announced.debit_on, 6.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    expect((await borrower.mandate()).end_reason).toBe('app')
    expect(await borrower.noticeKinds()).toContain('autopay_ended')
  })

  it('paused in the app, and no event of it: the check before presenting finds it', async () => {
    const borrower = await newBorrower(app)
    const { token_id } = await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    await app.sandbox(`/mandates/${token_id}/pause`, {})
    await moveTo(app, announced.debit_on, 6.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    await app.sandbox('/faults', { clear: true })
  })

  it('paused and resumed in the portal; paused over its day it skips the debit', async () => {
    const borrower = await newBorrower(app)
    const { mandate_id } = await borrower.setUp()
    const act = (action: string) => borrower.post(`/portal/autopay/mandates/${mandate_id}/${action}`)
    expect((await act('pause')).body['mandate']).toMatchObject({ status: 'paused', paused_by: 'portal' })
    expect((await act('resume')).body['mandate']).toMatchObject({ status: 'active', paused_by: null })
    const announced = await announce(app, borrower)
    await act('pause')
    await moveTo(app, announced.debit_on, 5.5)
    expect((await act('resume')).status).toBe(200)
    expect((await act('pause')).body).toMatchObject({ code: 'MandateNotChangeable' })
  })

  it('cancelled with a fresh code, and not without', async () => {
    const borrower = await newBorrower(app)
    const { mandate_id } = await borrower.setUp()
    const wrong = await borrower.post(`/portal/autopay/mandates/${mandate_id}/cancel`, { session_token: 'x', otp: '123456' })
    expect([wrong.status, wrong.body['code']]).toEqual([400, 'AuthInvalidOTPError'])
    const before = app.outbox().length
    const { body } = await borrower.post(`/portal/autopay/mandates/${mandate_id}/cancel-code`)
    const code = await until(
      () =>
        app
          .outbox()
          .slice(before)
          .findLast((one) => one.to === borrower.phone && one.code !== null)?.code,
    )
    const cancel = (otp: unknown) =>
      borrower.post(`/portal/autopay/mandates/${mandate_id}/cancel`, { session_token: body['session_token'], otp })
    const entries = () =>
      app.database.asSystem((sql) =>
        sql
          .selectFrom('access_log')
          .select(['action', 'outcome'])
          .where('subject_id', '=', borrower.key.borrowerId)
          .where('action', 'in', ['sign_in', 'mandate_cancelled'])
          .orderBy('sequence')
          .execute(),
      )
    expect((await cancel(code === '000000' ? '000001' : '000000')).body['code']).toBe('AuthInvalidOTPError')
    expect((await entries()).at(-1)).toEqual({ action: 'sign_in', outcome: 'refused' })
    // The code is for this act alone: it signs nobody in.
    const signIn = await borrower.post('/auth/verify', { session_token: body['session_token'], otp: code })
    expect([signIn.status, signIn.body['code']]).toEqual([400, 'AuthInvalidOTPError'])
    // What comes after the commit fails: the act and its entry are stored.
    const { gateway } = app.context
    app.context.gateway = { ...gateway, endToken: () => Promise.reject(new Error('the process ends here')) }
    expect((await cancel(code)).status).toBe(500)
    app.context.gateway = gateway
    expect((await entries()).at(-1)).toEqual({ action: 'mandate_cancelled', outcome: 'done' })
    expect(await borrower.mandate()).toMatchObject({ status: 'ending', end_reason: 'borrower' })
    await advanceUntil(app, 60_000, async () => (await borrower.mandate()).status === 'ended')
    expect((await borrower.collections()).every(({ status }) => status === 'skipped')).toBe(true)
  })

  it('skips one debit until an hour before it, and no later', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await moveTo(app, announced.debit_on, 5.5)
    const late = await borrower.post(`/portal/autopay/collections/${announced.collection_id}/skip`)
    expect(late.body).toMatchObject({ code: 'CollectionNotChangeable' })
    await moveTo(app, addDays(announced.debit_on, -1), 20)
    const skipped = await borrower.post(`/portal/autopay/collections/${announced.collection_id}/skip`)
    expect(skipped.body['collection']).toMatchObject({ status: 'skipped', reason: 'borrower' })
    expect((await borrower.collections()).at(-1)).toMatchObject({ status: 'planned', due_on: '2026-12-30' })
  })

  it('a cap that is too low: told seven days ahead, nothing is debited', async () => {
    const borrower = await newBorrower(app, { dueOn: '2026-12-15' as Day })
    await borrower.setUp()
    await app.database.asSystem((sql) =>
      sql
        .updateTable('mandates')
        .set({ max_amount_paise: 300_000n as never })
        .where('loan_id', '=', borrower.key.loanId)
        .execute(),
    )
    await moveTo(app, '2026-12-08', 10.1)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'cap' })
    expect(await borrower.noticeKinds()).toContain('autopay_cap_too_low')
  })

  it('provider down past 08:59: an eNACH debit waits until the borrower was told another day, and still counts from its own', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('emandate')
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'token', kind: 'status', status: 503, times: 'forever' })
    await moveTo(app, announced.debit_on, 7.01)
    await moveTo(app, announced.debit_on, 9.5)
    // The next morning is less than 24 hours after the borrower is told.
    const moved = addDays(announced.debit_on, 2)
    await until(async () => (await borrower.collections())[0]?.debit_on === moved)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'announced', presented_at: null })
    const told = (await borrower.notices()).filter(({ kind }) => kind === 'autopay_announced') as unknown as { date: string }[]
    expect(told.map(({ date }) => date)).toEqual([announced.debit_on, moved])
    await app.sandbox('/faults', { clear: true })
    await moveTo(app, addDays(announced.debit_on, 1), 7.05)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'announced' })
    await moveTo(app, moved, 7.05)
    expect(await borrower.collection('presented')).toMatchObject({ value_date: announced.due_on })
  })

  it('its last day is before the next debit: the mandate ends, and the borrower is told', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const [planned] = await borrower.collections()
    const { mandate_id: id } = await borrower.mandate()
    await app.database.asSystem((sql) =>
      sql
        .updateTable('mandates')
        .set({ ends_on: addDays(planned!.debit_on, -1) })
        .where('mandate_id', '=', id)
        .execute(),
    )
    await moveTo(app, addDays(planned!.debit_on, -2), 10.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate' })
    await advanceUntil(app, 60_000, async () => (await borrower.mandate()).status === 'ended')
    expect((await borrower.mandate()).end_reason).toBe('expired')
    expect(await borrower.collections()).toHaveLength(1)
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_ended', subject: 'expired' }))
  })

  it.each(['expired', 'borrower'] as const)('that has expired, and whose end (%s) the provider refuses, is over', async (reason) => {
    const borrower = await newBorrower(app)
    const active = await borrower.setUp()
    await withMandate(app.context, active, async (step) => {
      await requestMandateEnd(step, reason)
      await changeMandateRow(step.sql, active, { next_check_at: noFurtherCheck })
    })
    const ending = await borrower.mandate()
    const { gateway } = app.context
    const token = { tokenId: active.token_id!, customerId: active.customer_id!, status: 'confirmed', upiHandle: null } as const
    const endWith = (daysAgo: number) => {
      const expiresAt = new Date(app.clock.now().getTime() - daysAgo * 86_400_000)
      return endAtProvider(
        {
          ...app.context,
          gateway: {
            ...gateway,
            endToken: async () => ({ kind: 'refused', reason: 'it is expired' }),
            fetchToken: async () => ({ kind: 'found', token: { ...token, expiresAt } }),
          },
        },
        ending,
      )
    }
    if (reason === 'borrower') expect(await endWith(-1)).toMatchObject({ status: 'ending' })
    expect(await endWith(1)).toMatchObject({ status: 'ended', end_reason: reason })
    await borrower.setUp()
  })

  it('whose end the provider does not confirm for three days is for a person, until it is over', async () => {
    const borrower = await newBorrower(app)
    const active = await borrower.setUp()
    await app.sandbox('/faults', { call: 'token_cancel', kind: 'status', status: 400, times: 'forever' })
    await withMandate(app.context, active, (step) => requestMandateEnd(step, 'borrower'))
    await app.clock.advance(71 * 3_600_000)
    await until(async () => (await borrower.mandate()).next_check_at > app.clock.now())
    expect(await borrower.reviews()).toEqual([])
    await advanceUntil(app, 3_600_000, async () => (await borrower.reviews()).length > 0)
    expect(await borrower.reviews()).toMatchObject([{ kind: 'mandate_end', resolved_at: null, detail: { reference: active.reference } }])
    await app.sandbox('/faults', { clear: true })
    await advanceUntil(app, 3_600_000, async () => (await borrower.mandate()).status === 'ended')
    expect(await borrower.reviews()).toMatchObject([{ kind: 'mandate_end', resolved_by: 'system' }])
  })

  it('an eNACH order that the provider refuses: the debit is skipped, and the borrower is told', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('emandate')
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'order_create', kind: 'status', status: 400, times: 'forever' })
    await moveTo(app, announced.debit_on, 7.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    await app.sandbox('/faults', { clear: true })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'mandate' }))
  })

  it('provider down for days: another day is announced until five days after the first announcement', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('emandate')
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'token', kind: 'status', status: 503, times: 'forever' })
    for (const days of [0, 2]) {
      await moveTo(app, addDays(announced.debit_on, days), 9.5)
      await until(async () => (await borrower.collections())[0]?.debit_on === addDays(announced.debit_on, days + 2))
    }
    await moveTo(app, addDays(announced.debit_on, 4), 9.5)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    await app.sandbox('/faults', { clear: true })
    expect((await borrower.noticeKinds()).filter((kind) => kind === 'autopay_announced')).toHaveLength(3)
  })

  it('staff who act for the borrower see autopay and change nothing of it', async () => {
    const borrower = await newBorrower(app)
    const { mandate_id } = await borrower.setUp()
    const { addPerson } = await import('#testkit/builders.ts')
    const phone = '+919700000001'
    await addPerson(app.database, app.clock.now(), {
      phone,
      firstName: 'Ira',
      lastName: 'Sen',
      kind: 'staff',
      roles: ['tech/assume'],
      permissions: ['user:assume'],
    })
    const { body } = await app.post(
      '/auth/assume',
      { user_id_to_assume: borrower.key.borrowerId, reason: 'a call' },
      await app.signIn(phone),
    )
    const acting = String(body['token'])
    expect((await app.get(`/portal/autopay?application_id=${borrower.key.lan}`, acting)).body['mandate']).toMatchObject({ id: mandate_id })
    expect((await app.post(`/portal/autopay/mandates/${mandate_id}/pause`, {}, acting)).status).toBe(403)
    expect((await app.get('/auth/permissions', acting)).body['permissions']).not.toContain('mandate:update')
  })
})
