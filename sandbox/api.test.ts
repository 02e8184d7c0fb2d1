import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testKeyId, startBench, type Bench, type ErrorJson, type LinkJson, type PaidJson } from './bench.testing.ts'

let bench: Bench

beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.close())

describe('input', () => {
  const now = (): number => Math.floor(Date.now() / 1000)
  const notes = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`n${n}`, 'x']))
  it.each<[string, Record<string, unknown>, string]>([
    ['no amount', { amount: undefined }, 'The amount is required'],
    ['too small', { amount: 99 }, 'The amount must be at least INR 1.00'],
    ['a fraction', { amount: 100.5 }, 'The amount must be an integer'],
    ['a text', { amount: '100' }, 'The amount must be an integer'],
    ['too large', { amount: 50_000_001 }, 'Amount exceeds maximum amount allowed.'],
    ['an unknown field', { amonut: 1 }, 'wrong input fields sent.'],
    ['a long reference', { reference_id: 'r'.repeat(41) }, 'reference_id: the length must not be greater than 40.'],
    ['a long note', { notes: { a: 'x'.repeat(256) } }, 'value: the length must not be greater than 255.'],
    ['many notes', { notes }, 'The notes is invalid'],
    ['expiry too soon', { expire_by: now() + 890 }, 'timestamp must be atleast 15 minutes in future'],
    ['expiry too far', { expire_by: now() + 200 * 86_400 }, 'timestamp must not be more than 6 months in future'],
    ['a UPI link', { upi_link: true }, 'UPI Payment Links is not supported in Test Mode. Please experience the product in Live Mode.'],
    ['a UPI link in parts', { upi_link: true, accept_partial: true }, 'partial payment not supported in upi link'],
    ['a callback without method', { callback_url: 'http://a.in/' }, 'The callback_method is required'],
    ['a callback by post', { callback_url: 'http://a.in/', callback_method: 'post' }, 'The callback_method is invalid'],
    ['a callback of no web', { callback_url: 'javascript:alert(1)', callback_method: 'get' }, 'The callback_url is invalid'],
  ])('refuses %s', async (_name, change, description) => {
    const body = { amount: 10_000, ...change }
    const answer = await bench.api<ErrorJson>('POST', '/payment_links', body)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST_ERROR', description } } })
  })

  it('takes form bodies and a trailing slash', async () => {
    const form = 'amount=10000&reference_id=form-1&customer[name]=Asha&notify[sms]=1&notes[lan]=42'
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const made = await bench.api<LinkJson>('POST', '/payment_links/', form, type)
    expect(made).toMatchObject({
      status: 200,
      body: { amount: 10_000, reference_id: 'form-1', customer: { name: 'Asha' }, notes: { lan: '42' } },
    })
  })

  it('answers an envelope to a broken body, an unknown path and a missing key', async () => {
    expect(await bench.api('POST', '/payment_links', '{"amount":')).toMatchObject({ status: 400 })
    expect(await bench.api('GET', '/nothing')).toMatchObject({ status: 404 })
    const open = await fetch(`${bench.sandbox.url}/v1/payment_links`)
    expect(open.status).toBe(401)
    const lower = await bench.api('GET', '/payment_links', undefined, { authorization: 'basic eDp5' })
    expect(lower).toMatchObject({ status: 401, body: { error: { description: 'The api key provided is invalid' } } })
  })

  it('breaks the connection at the amount that means unreachable', async () => {
    await expect(bench.api('POST', '/payment_links', { amount: 1_031_313 })).rejects.toThrow()
  })
})

describe('the published words', () => {
  const message = async (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<string> =>
    (await bench.api<ErrorJson>(method, path, body, headers)).body.error.description

  it('answer wrong keys and wrong ids', async () => {
    const wrong = { authorization: `Basic ${Buffer.from(`${testKeyId}:wrong`).toString('base64')}` }
    expect(await message('GET', '/payment_links', undefined, wrong)).toBe('The api secret provided is invalid')
    expect(await message('GET', '/payment_links/plink_AAAAAAAAAAAAAA')).toBe('The id provided does not exist')
    expect(await message('GET', '/payment_links/plink_short')).toBe('invalid input [strippedId] = [short]')
    expect(await message('GET', '/settlements?count=0')).toBe('The count must be at least 1.')
  })

  it('answer for a link that may not be changed', async () => {
    const link = await bench.link()
    expect(await message('PATCH', `/payment_links/${link.id}`, { amount: 1 })).toBe('wrong input fields sent.')
    expect(await message('POST', `/payment_links/${link.id}/notify_by/fax`)).toBe('not a valid notification medium')
    await bench.control(`/links/${link.id}/expire`)
    expect(await message('PATCH', `/payment_links/${link.id}`, { notes: {} })).toBe(
      'update can only be made in created or partially paid state',
    )
    expect(await message('POST', `/payment_links/${link.id}/cancel`)).toBe('cannot cancel or expire an expired link')
  })
})

describe('parts', () => {
  it('goes over partially_paid to paid', async () => {
    const link = await bench.link({ accept_partial: true })
    const pay = (amount: number): Promise<{ body: PaidJson }> => bench.control(`/links/${link.id}/pay`, { amount })
    expect((await bench.control(`/links/${link.id}/pay`, { amount: 50_001 })).status).toBe(409)
    expect((await pay(20_000)).body.payment_link).toMatchObject({ status: 'partially_paid', amount_paid: 20_000 })
    expect((await pay(30_000)).body.payment_link).toMatchObject({ status: 'paid', amount_paid: 50_000 })
  })

  it('takes a first part of what the merchant asks at least', async () => {
    const link = await bench.link({ accept_partial: true, first_min_partial_amount: 10_000 })
    expect((await bench.control(`/links/${link.id}/pay`, { amount: 9_999 })).status).toBe(409)
    expect((await bench.control(`/links/${link.id}/pay`, { amount: 10_000 })).status).toBe(200)
    expect((await bench.control(`/links/${link.id}/pay`, { amount: 1 })).status).toBe(200)
  })
})

describe('UPI links', () => {
  it('can be made when they are allowed, are paid by UPI alone, and lead nowhere', async () => {
    const live = await startBench({ allowUpiLinks: true })
    const link = await live.link({ upi_link: true, callback_url: 'http://a.in/', callback_method: 'get' })
    expect(link).toMatchObject({ upi_link: true })
    expect(await live.control(`/links/${link.id}/pay`)).toMatchObject({ status: 200, body: { redirect_url: null } })
    await live.close()
  })
})
