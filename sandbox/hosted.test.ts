import * as fs from 'node:fs'
import * as path from 'node:path'
import jsQr from 'jsqr'
import { validatePaymentVerification } from 'razorpay/dist/utils/razorpay-utils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLuhn, networkOf } from './cards.ts'
import { returnSignature } from './redirect.ts'
import { testKeySecret, startBench, type Bench, type LinkJson } from './bench.testing.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ merchantName: 'Lakshmi & Sons <Finance>' })
})
afterAll(() => bench.close())

type Shown = { readonly status: number; readonly url: string; readonly text: string; readonly csp: string }

async function open(url: string, form?: Record<string, string>): Promise<Shown> {
  const post = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
  const answer = await fetch(url.replace('localhost', '127.0.0.1'), post)
  const csp = answer.headers.get('content-security-policy') ?? ''
  return { status: answer.status, url: answer.url, text: await answer.text(), csp }
}

const callback = { callback_url: 'http://localhost:3000/payments/waiting-for-payment?a=b', callback_method: 'get' }
const press = (link: LinkJson, outcome: string, vpa = 'success@razorpay'): Promise<Shown> => open(`${link.short_url}/pay`, { outcome, vpa })

const statusOf = async (link: LinkJson): Promise<string> => (await bench.api<LinkJson>('GET', `/payment_links/${link.id}`)).body.status

/** What a scanner reads in the page's QR code; each dark module is drawn as a square of 4 by 4. */
function readQrPicture(page: string): string | undefined {
  const size = 4 * Number(/<svg class="code" viewBox="0 0 (\d+)/.exec(page)?.[1])
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255)
  for (const [, left, top] of page.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let dot = 0; dot < 16; dot += 1) {
      const start = 4 * ((4 * Number(top) + Math.floor(dot / 4)) * size + 4 * Number(left) + (dot % 4))
      pixels.fill(0, start, start + 3)
    }
  return jsQr(pixels, size, size)?.data
}

describe('the hosted page', () => {
  it('says who asks for how much, escaped, in Indian grouping, in test mode', async () => {
    const link = await bench.link({ amount: 12_345_650, description: '<b>EMI</b>' })
    const page = await open(link.short_url)
    expect(page.text).toContain('TEST MODE: no real money moves')
    expect(page.text).toContain('Pay ₹1,23,456.50</button>')
    expect(page.text).toContain('Simulate a failed payment</button>')
    expect(page.text).toContain('Lakshmi &amp; Sons &lt;Finance&gt;')
    expect(page.text).toContain('&lt;b&gt;EMI&lt;/b&gt;')
    expect(page.text).toContain(link.reference_id)
    expect(page.csp).toContain("default-src 'none'")
  })

  it.each([
    ['hi', 'en'],
    ['en', 'hi'],
  ])('opens in the language of the link’s note, %s, and changes to %s', async (noted, other) => {
    const link = await bench.link({ notes: { kist_language: noted } })
    const page = await open(link.short_url)
    expect(page.text).toContain(`<html lang="${noted}">`)
    expect((await open(`${link.short_url}?lang=${other}`)).text).toContain(`<html lang="${other}">`)
  })

  it('speaks Hindi when asked', async () => {
    const link = await bench.link()
    const page = await open(`${link.short_url}?lang=hi`)
    expect(page.text).toContain('<html lang="hi">')
    expect(page.text).toContain(`href="/i/${link.short_url.slice(-8)}?lang=en"`)
    const form = { outcome: 'success', vpa: 'success@razorpay', lang: 'hi' }
    const done = await open(`${link.short_url}/pay`, form)
    expect(done.text).toContain('भुगतान सफल रहा')
    expect(done.text).toMatch(/href="\/i\/\w+\/done\?payment=pay_\w+&amp;lang=en"/)
  })

  it('makes the order when it is first opened, and only then', async () => {
    const link = await bench.link()
    expect(link).not.toHaveProperty('order_id')
    await open(link.short_url)
    const opened = await bench.api<{ order_id: string }>('GET', `/payment_links/${link.id}`)
    await open(link.short_url)
    const again = await bench.api<{ order_id: string }>('GET', `/payment_links/${link.id}`)
    expect(opened.body.order_id).toMatch(/^order_/)
    expect(again.body.order_id).toBe(opened.body.order_id)
  })

  it('keeps the customer after a failure, then takes the money', async () => {
    const link = await bench.link(callback)
    const failed = await press(link, 'success', 'failure@razorpay')
    expect(failed.url).toContain('attempt=pay_')
    expect(failed.text).toContain('The payment was declined in the UPI app.')
    expect(await statusOf(link)).toBe('created')
    expect((await press(link, 'failure')).text).toContain('Payment failed')
    expect((await press(link, 'success')).text).toContain('Payment successful')
    expect(await statusOf(link)).toBe('paid')
  })

  it('refuses UPI ids that test mode does not know', async () => {
    const link = await bench.link()
    const page = await press(link, 'success', 'someone@bank')
    expect(page).toMatchObject({ status: 422 })
    expect(page.text).toContain('aria-invalid="true"')
    expect(await statusOf(link)).toBe('created')
  })

  it('sends the customer back with parameters that the official client verifies', async () => {
    const link = await bench.link(callback)
    const page = await press(link, 'success')
    const refresh = /http-equiv="refresh" content="3;url=([^"]+)"/.exec(page.text)?.[1] ?? ''
    const url = new URL(refresh.replaceAll('&amp;', '&'))
    const sent = Object.fromEntries(url.searchParams)
    expect(`${url.origin}${url.pathname}`).toBe('http://localhost:3000/payments/waiting-for-payment')
    expect(sent).toMatchObject({
      a: 'b',
      razorpay_payment_link_id: link.id,
      razorpay_payment_link_reference_id: link.reference_id,
      razorpay_payment_link_status: 'paid',
    })
    const isGenuine = validatePaymentVerification(
      {
        payment_link_id: link.id,
        payment_id: sent['razorpay_payment_id'] ?? '',
        payment_link_reference_id: link.reference_id,
        payment_link_status: 'paid',
      },
      sent['razorpay_signature'] ?? '',
      testKeySecret,
    )
    expect(isGenuine).toBe(true)
    expect(page.text).toContain('Return to merchant now</a>')
  })

  it('loses the return when asked to', async () => {
    const link = await bench.link(callback)
    const page = await press(link, 'success_no_redirect')
    expect(page.text).toContain('Payment successful')
    expect(page.text).not.toContain('localhost:3000')
    expect(await statusOf(link)).toBe('paid')
  })

  it('shows what became of a link that takes no money any more', async () => {
    const paid = await bench.link()
    await press(paid, 'success')
    expect((await open(paid.short_url)).text).toContain('already paid')
    expect((await press(paid, 'success')).text).toContain('already paid')
    const cancelled = await bench.link()
    await bench.api('POST', `/payment_links/${cancelled.id}/cancel`)
    expect((await press(cancelled, 'success')).text).toContain('was cancelled')
    const expired = await bench.link()
    await bench.control(`/links/${expired.id}/expire`)
    expect((await open(expired.short_url)).text).toContain('has expired')
    expect((await bench.state()).payments.filter(({ captured }) => captured).length).toBeGreaterThan(0)
    expect(await open(`${bench.sandbox.url}/i/nosuch00`)).toMatchObject({ status: 404 })
  })

  it('takes one of two payments made at the same moment', async () => {
    const link = await bench.link()
    await Promise.all([press(link, 'success'), press(link, 'success')])
    const { body } = await bench.api<LinkJson>('GET', `/payment_links/${link.id}`)
    expect(body).toMatchObject({ amount_paid: 50_000, payments: [{ status: 'captured' }] })
  })
})

describe('methods', () => {
  const card = { method: 'card', card_number: '4100 2800 0000 1007', card_expiry: '12/49', card_cvv: '123' }
  const idIn = (shown: Shown): string => /name="payment" value="(pay_\w+)"/.exec(shown.text)?.[1] ?? ''
  /** Goes through the page and the bank's page. */
  const through = async (link: LinkJson, form: Record<string, string>, answer: Record<string, string>): Promise<Shown> => {
    const atBank = await open(`${link.short_url}/pay`, { outcome: 'success', ...form })
    expect(atBank.url).toContain('/bank?payment=pay_')
    return open(`${link.short_url}/bank`, { payment: idIn(atBank), ...answer })
  }

  it.each(['1234', '1234567890'])('takes a card with the password %s', async (otp) => {
    const link = await bench.link()
    expect((await through(link, card, { answer: 'otp', otp })).text).toContain('Payment successful')
    const state = await bench.state()
    expect(state.payments.at(-1)).toMatchObject({ status: 'captured', card: { network: 'Visa', last4: '1007' } })
  })

  it('refuses a password that is too short, asks again for one that is none, and lets the customer cancel', async () => {
    const link = await bench.link()
    expect((await through(link, card, { answer: 'otp', otp: '123' })).text).toContain('The one-time password was not accepted.')
    expect((await through(link, card, { answer: 'otp', otp: 'abcd' })).text).toContain('Enter digits only, at most 10.')
    expect((await through(link, card, { answer: 'cancel' })).text).toContain('was cancelled on the bank’s page')
    expect(await statusOf(link)).toBe('created')
  })

  it.each([
    ['4100280000090000', 'payment_timed_out'],
    ['4100280000080001', 'insufficient_fund'],
    ['4100280000070002', 'payment_cancelled'],
    ['4100280000060003', 'card_declined'],
    ['4100280000050004', 'card_declined'],
    ['4100280000040005', 'card_declined'],
    ['4100280000030006', 'card_disabled_for_online_payments'],
    ['4100280000010008', 'card_number_invalid'],
    ['4100280000020007', 'gateway_technical_error'],
    ['4100280000000009', 'authentication_failed'],
  ])('fails the test card %s with %s', async (card_number, reason) => {
    const link = await bench.link()
    const shown = await through(link, { ...card, card_number }, { answer: 'otp', otp: '123456' })
    const id = /attempt=(pay_\w+)/.exec(shown.url)?.[1] ?? ''
    const { body } = await bench.api<{ error_reason: string; status: string }>('GET', `/payments/${id}`)
    expect(body).toMatchObject({ status: 'failed', error_reason: reason })
    expect(shown.text).toMatch(/id="method-card"[^>]* checked/)
  })

  it.each([
    ['5500670000001002', 'MasterCard', '123'],
    ['6527658900001005', 'RuPay', '123'],
    ['36082800091007', 'Diners Club', '123'],
    ['340256000401007', 'American Express', '1234'],
  ])('knows the network of %s', async (card_number, network, card_cvv) => {
    const link = await bench.link()
    await through(link, { ...card, card_number, card_cvv }, { answer: 'otp', otp: '1234' })
    expect((await bench.state()).payments.at(-1)).toMatchObject({ card: { network, last4: card_number.slice(-4) } })
  })

  it.each([
    [{ card_number: '4100 2800 0000 1008' }, 'This card number is not valid.'],
    // The check digit is valid: it may be a real card.
    [{ card_number: '4111 1111 1111 1111' }, 'Only test cards work here'],
    [{ card_expiry: '10/26' }, 'Enter the current month or a later one'],
    [{ card_cvv: '12' }, 'Enter the 3 digits of the CVV.'],
    [{ method: 'netbanking', bank: 'NONE' }, 'Select your bank.'],
    [{ method: 'wallet' }, 'Select your wallet.'],
    [{ method: 'bank_transfer', transfer_amount: '0.5' }, 'Enter an amount of at least'],
    [{ contact: '12345' }, 'Enter a mobile number of 10 digits'],
    [{ email: 'nobody' }, 'Enter an email address'],
  ])('refuses %o beside its field', async (change, text) => {
    const link = await bench.link()
    const shown = await open(`${link.short_url}/pay`, { outcome: 'success', ...card, ...change } as Record<string, string>)
    expect(shown.status).toBe(422)
    expect(shown.text).toContain(text)
    expect(shown.text).toMatch(/aria-invalid="true"/)
    // What was typed is shown again, but never a card's number or its CVV.
    for (const name of ['card_number', 'card_cvv']) expect(shown.text).toMatch(new RegExp(`name="${name}"[^>]*value=""`))
  })

  it.each([
    [{ method: 'netbanking', bank: 'SBIN' }, { bank: 'SBIN' }],
    [{ method: 'wallet', wallet: 'amazonpay' }, { wallet: 'amazonpay' }],
  ])('goes to the page behind %o and comes back with its answer', async (form, instrument) => {
    const link = await bench.link()
    expect((await through(link, form, { answer: 'failure' })).text).toContain('Payment failed')
    expect((await through(link, form, { answer: 'success' })).text).toContain('Payment successful')
    expect((await bench.state()).payments.at(-1)).toMatchObject(instrument)
  })

  it('takes a part where the merchant lets it, then the rest', async () => {
    const link = await bench.link({ accept_partial: true, first_min_partial_amount: 10_000 })
    const part = (part_amount: string): Promise<Shown> =>
      open(`${link.short_url}/pay`, { outcome: 'success', vpa: 'success@razorpay', part_amount })
    expect((await open(link.short_url)).text).toMatch(/name="part_amount"[^>]*value="500"/)
    expect((await part('99.99')).text).toContain('Enter an amount from ₹100 to ₹500.')
    expect((await part('200.50')).text).toContain('has received ₹200.50')
    expect(await statusOf(link)).toBe('partially_paid')
    expect((await open(link.short_url)).text).toContain('Paid so far')
    expect((await part('299.50')).text).toContain('has received ₹299.50')
    expect(await statusOf(link)).toBe('paid')
  })

  it('keeps what the customer says of themselves', async () => {
    const link = await bench.link({ customer: { email: 'old@example.in' } })
    await open(`${link.short_url}/pay`, { outcome: 'success', vpa: 'success@razorpay', contact: '098765 43210', email: 'new@example.in' })
    expect((await bench.state()).payments.at(-1)).toMatchObject({ contact: '+919876543210', email: 'new@example.in' })
  })

  it('offers what the merchant wants offered', async () => {
    const link = await bench.link({ options: { checkout: { method: { card: '0', wallet: false, bank_transfer: 0 } } } })
    const { text } = await open(link.short_url)
    expect([...text.matchAll(/id="method-(\w+)"/g)].map(([, method]) => method)).toEqual(['upi', 'netbanking'])
    await open(`${link.short_url}/pay`, { outcome: 'success', ...card, vpa: 'success@razorpay' })
    expect((await bench.state()).payments.at(-1)).toMatchObject({ method: 'upi' })
  })

  it('pays by the UPI app behind the QR code, and tells the page that waits', async () => {
    const link = await bench.link()
    const asked = async (): Promise<unknown> => JSON.parse((await open(`${link.short_url}/status`)).text)
    expect(readQrPicture((await open(link.short_url)).text)).toBe(`${link.short_url}/upi`)
    expect(await asked()).toEqual({ open: true, payment: null })
    expect((await open(`${link.short_url}/upi`, { answer: 'decline' })).text).toContain('declined in the UPI app')
    expect((await open(`${link.short_url}/upi`, { answer: 'approve' })).text).toContain('Payment successful')
    expect(await asked()).toEqual({ open: false, payment: expect.stringMatching(/^pay_/) })
  })

  it('sends a transfer of any amount', async () => {
    const link = await bench.link()
    const form = { outcome: 'success', method: 'bank_transfer', transfer_amount: '600.50' }
    expect((await open(`${link.short_url}/pay`, form)).text).toContain('has received ₹600.50')
    expect((await bench.api<LinkJson>('GET', `/payment_links/${link.id}`)).body).toMatchObject({ status: 'paid', amount_paid: 60_050 })
  })

  it('sends back what comes through at the bank after the link was paid', async () => {
    const link = await bench.link()
    const first = await open(`${link.short_url}/pay`, { outcome: 'success', ...card })
    await press(link, 'success')
    const late = await open(`${link.short_url}/bank`, { payment: idIn(first), answer: 'otp', otp: '1234' })
    expect(late.text).toContain('Payment is being refunded')
    expect((await bench.api<LinkJson>('GET', `/payment_links/${link.id}`)).body).toMatchObject({ amount_paid: 50_000 })
  })

  it('fails a payment that was left at the bank', async () => {
    const link = await bench.link()
    const left = await open(`${link.short_url}/pay`, { outcome: 'success', ...card })
    await bench.control('/time', { advance_seconds: 601 })
    expect((await open(left.url)).text).toContain('There is no need to pay again.')
  })
})

describe('test outcomes', () => {
  it('waits for a bank that is silent, and then goes on', async () => {
    const link = await bench.link(callback)
    const pending = await press(link, 'pending_success')
    expect(pending.text).toContain('Payment pending')
    await bench.control('/time', { advance_seconds: 21 })
    expect((await open(pending.url)).text).toContain('Payment successful')
  })

  it('pays twice, of which one is sent back', async () => {
    const link = await bench.link()
    expect((await press(link, 'success_twice')).text).toContain('was refunded to you at once')
    const { body } = await bench.api<LinkJson>('GET', `/payment_links/${link.id}`)
    expect(body).toMatchObject({ amount_paid: 50_000, payments: [{ status: 'captured' }] })
  })

  it('fails with the reason that was chosen', async () => {
    const link = await bench.link()
    const shown = await open(`${link.short_url}/pay`, { outcome: 'failure_with_reason', reason: 'insufficient_fund', lang: 'hi' })
    expect(shown.text).toContain('खाते में पर्याप्त राशि नहीं है।')
  })
})

describe('card data', () => {
  it('is nowhere: not in the journal, not in the state', async () => {
    const link = await bench.link()
    const form = { outcome: 'success', method: 'card', card_number: '4100280000001007', card_expiry: '12/49', card_cvv: '987' }
    await open(`${link.short_url}/pay`, form)
    await open(`${link.short_url}/pay`, { ...form, card_number: '4111111111111111' })
    const kept = fs.readFileSync(path.join(bench.dataDir, 'journal.ndjson'), 'utf8') + JSON.stringify(await bench.state())
    for (const number of ['4100280000001007', '4111111111111111']) expect(kept.replace(/[ -]/g, '')).not.toContain(number)
    // Random identifiers hold any run of letters and digits: only whole values and names of fields
    // count.
    const numbers = [...kept.matchAll(/(?<![0-9a-z])\d(?:[ -]?\d){12,18}(?![0-9a-z])/gi)].map(([number]) => number.replace(/\D/g, ''))
    expect(numbers.filter((number) => networkOf(number) !== null && isLuhn(number) && !kept.includes(`_ms":${number}`))).toEqual([])
    expect(kept).not.toMatch(/"[a-z_]*(?:cvv|expiry)[a-z_]*":|"987"|"12\/49"/)
  })
})

describe('the return signature', () => {
  it('is that of the published test vector', () => {
    const signature = returnSignature('secret', {
      linkId: 'plink_FKeEiabyAAiSVQ',
      referenceId: 'TSsd1989',
      status: 'paid',
      paymentId: 'pay_Fc8mUeDrEKf08Y',
    })
    expect(signature).toBe('f2f2c81a32d4e0c2df7b4bf88280d1554014c30d127ea73ba4bec55504f1c7a7')
  })
})
