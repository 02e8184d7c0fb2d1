import { validatePaymentVerification } from 'razorpay/dist/utils/razorpay-utils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { returnSignature } from './redirect.ts'
import { KEY_SECRET, startBench, type Bench, type LinkJson } from './test-support.ts'

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
      KEY_SECRET,
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
