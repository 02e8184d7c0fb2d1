import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Stage, type Json } from './stage.testing.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.start({ merchantName: 'Lakshmi & Sons <Finance>' })
})
afterAll(() => stage.close())

type Shown = { readonly status: number; readonly url: string; readonly text: string; readonly csp: string }

async function open(url: string, form?: Record<string, string>): Promise<Shown> {
  const post = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
  const answer = await fetch(url.replace('localhost', '127.0.0.1'), post)
  return { status: answer.status, url: answer.url, text: await answer.text(), csp: answer.headers.get('content-security-policy') ?? '' }
}

const pageOf = (link: Json): string => String(link['short_url'])
const press = (link: Json, answer: string, lang = 'en'): Promise<Shown> => open(`${pageOf(link)}/answer`, { answer, lang })
const statusOf = async ({ id }: Json): Promise<unknown> => (await stage.made('GET', `/invoices/${id}`))['status']

describe('the page of a registration link', () => {
  it('says who may debit how much until when, escaped, in test mode', async () => {
    const link = await stage.register('upi', { description: '<b>EMI</b>' })
    const page = await open(pageOf(link))
    expect(page.status).toBe(200)
    expect(page.text).toContain('TEST MODE: no real money moves')
    expect(page.text).toContain('Up to ₹15,000')
    expect(page.text).toContain('UPI Autopay')
    expect(page.text).toContain('Lakshmi &amp; Sons &lt;Finance&gt;')
    expect(page.text).toContain('&lt;b&gt;EMI&lt;/b&gt;')
    expect(page.text).toContain(String(link['receipt']))
    expect(page.csp).toContain("default-src 'none'")
  })

  it.each([
    ['hi', 'ऑटोपे मंज़ूर करें', 'Approve autopay'],
    ['en', 'Approve autopay', 'ऑटोपे मंज़ूर करें'],
  ])('opens in the language of its note, %s, and changes it', async (noted, title, other) => {
    const link = await stage.register('upi', { notes: { kist_language: noted } })
    const page = await open(pageOf(link))
    expect(page.text).toContain(`<html lang="${noted}">`)
    expect(page.text).toContain(`<h1>${title}</h1>`)
    const changed = await open(`${pageOf(link)}?lang=${noted === 'hi' ? 'en' : 'hi'}`)
    expect(changed.text).toContain(`<h1>${other}</h1>`)
  })

  it('approves a UPI mandate and stays: nothing leads back to the merchant', async () => {
    const link = await stage.register('upi')
    const page = await press(link, 'approve')
    expect(page.text).toContain('<h1>Autopay is set up</h1>')
    expect(page.text).toContain('You can close this page.')
    expect(page.url).toContain(new URL(pageOf(link)).pathname)
    expect(await statusOf(link)).toBe('paid')
  })

  it('declines, and lets the customer think again', async () => {
    const link = await stage.register('upi')
    const page = await press(link, 'decline', 'hi')
    expect(page.text).toContain('<h1>आपने अस्वीकार कर दिया है</h1>')
    expect(await statusOf(link)).toBe('issued')
    expect((await open(pageOf(link))).text).toContain('<h1>Approve autopay</h1>')
    await press(link, 'approve')
    expect(await statusOf(link)).toBe('paid')
  })

  it('shows the account of an eMandate by its last digits, and waits for the bank', async () => {
    const link = await stage.register('emandate')
    const page = await open(pageOf(link))
    expect(page.text).toContain('HDFC Bank, ending in 1121')
    expect(page.text).not.toContain('1121431121541121')
    expect(page.text).toContain('eMandate by netbanking')
    expect((await press(link, 'approve')).text).toContain('<h1>Your bank is checking</h1>')
    await stage.advance(2 * 24 * 60 * 60)
    expect((await open(pageOf(link))).text).toContain('<h1>Autopay is set up</h1>')
  })

  it('lets the bank reject an approved eMandate', async () => {
    const link = await stage.register('emandate')
    expect((await press(link, 'reject_later')).text).toContain('<h1>Your bank is checking</h1>')
    await stage.advance(4 * 24 * 60 * 60)
    expect((await open(pageOf(link))).text).toContain('<h1>Autopay is off</h1>')
    const { items } = await stage.made('GET', `/orders/${link['order_id']}/payments`)
    expect(await stage.statusOf({ id: String((items as Json[])[0]?.['token_id']) })).toBe('rejected')
  })

  it('says that a link was cancelled or has expired, and takes no answer then', async () => {
    const [cancelled, expiring] = [await stage.register('upi'), await stage.register('upi', { expire_by: (await stage.now()) + 1000 })]
    await stage.made('POST', `/invoices/${cancelled.id}/cancel`)
    await stage.advance(1001)
    expect((await press(cancelled, 'approve')).text).toContain('<h1>This request was cancelled</h1>')
    expect((await press(expiring, 'approve')).text).toContain('<h1>This request has expired</h1>')
    expect([await statusOf(cancelled), await statusOf(expiring)]).toEqual(['cancelled', 'expired'])
  })

  it('follows the customer’s app', async () => {
    const link = await stage.register('upi')
    const { token } = await stage.control(`/registrations/${link.id}/approve`)
    await stage.control(`/mandates/${token?.id}/pause`)
    expect((await open(pageOf(link))).text).toContain('<h1>Autopay is paused</h1>')
    await stage.control(`/mandates/${token?.id}/cancel`)
    expect((await open(pageOf(link))).text).toContain('<h1>Autopay is off</h1>')
  })

  it('goes back to the page from an address that has none', async () => {
    const link = await stage.register('upi')
    expect((await open(`${pageOf(link)}/elsewhere`)).text).toContain('<h1>Approve autopay</h1>')
  })

  it('takes the faults of pages', async () => {
    const link = await stage.register('upi')
    await stage.control('/faults', { call: 'page_pay', kind: 'status', status: 500, reference_id: link['receipt'] })
    expect((await press(link, 'approve')).status).toBe(500)
    expect(await statusOf(link)).toBe('issued')
  })
})
