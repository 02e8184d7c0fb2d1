import type { Payment } from './entities.ts'
import { row, sheet, sign, type Sign, type View } from './hosted-sheet.ts'
import { indianTime, rupees, sayIn, type TextKey } from './hosted-texts.ts'
import { html } from './html.ts'
import type { Answer } from './http.ts'

/** How often the page of a pending payment looks again, seconds. */
const LOOK_AGAIN_S = 3

/** Options of the page after a payment. */
export type Ending = {
  /** Where the customer goes; null leaves them here. */
  readonly returnTo: string | null
  readonly isReturnLost: boolean
  readonly isTwice: boolean
}

/** The page after a successful payment. */
export function successPage(view: View, payment: Payment, { returnTo, isReturnLost, isTwice }: Ending): Answer {
  const { context, lang } = view
  const say = sayIn(lang)
  const merchant = context.config.merchantName
  const seconds = context.config.redirectSeconds
  const amount = rupees(payment.amount)
  const onward = returnTo
    ? html`<p>${say('returning', { merchant, seconds: String(seconds) })}</p>
        <a class="button main" href="${returnTo}">${say('returnNow')}</a>`
    : html`<p>${say(isReturnLost ? 'lostLine' : 'closeLine')}</p>`
  return sheet(view, {
    status: 200,
    title: `${say('paidTitle')} · ${merchant}`,
    refresh: returnTo ? { seconds, url: returnTo } : undefined,
    pane: html`${sign('good')}
      <div role="status">
        <h1>${say('paidTitle')}</h1>
        <p class="lead">${say('paidLine', { merchant, amount })}</p>
        ${isTwice ? html`<p>${say('paidTwice', { amount })}</p>` : null}
      </div>
      ${receipt(view, payment)}
      <div class="return">${onward}</div>`,
  })
}

/** The page of a payment that was refunded because nothing was due. */
export function returnedPage(view: View, payment: Payment): Answer {
  const say = sayIn(view.lang)
  return sheet(view, {
    status: 200,
    title: `${say('returnedTitle')} · ${view.context.config.merchantName}`,
    pane: html`${sign('wait')}
      <div role="status">
        <h1>${say('returnedTitle')}</h1>
        <p class="lead">${say('returnedLine', { amount: rupees(payment.amount) })}</p>
      </div>
      ${receipt(view, payment)}
      <div class="return"><p>${say('closeLine')}</p></div>`,
  })
}

/** The page of a payment whose bank has not answered. */
export function pendingPage(view: View): Answer {
  const say = sayIn(view.lang)
  const url = `${view.address}${view.address.includes('?') ? '&' : '?'}lang=${view.lang}`
  return sheet(view, {
    status: 200,
    title: `${say('pendingTitle')} · ${view.context.config.merchantName}`,
    refresh: { seconds: LOOK_AGAIN_S, url },
    pane: html`${sign('wait')}
      <div role="status">
        <h1>${say('pendingTitle')}</h1>
        <p class="lead">${say('pendingLine')}</p>
      </div>
      <div class="return"><p>${say('pendingReload')}</p></div>`,
  })
}

/** The page of a link that can no longer be paid. */
export function statusPage(view: View): Answer {
  const { context, link, lang } = view
  const say = sayIn(lang)
  const texts: Record<string, readonly [TextKey, TextKey, Sign]> = {
    paid: ['statusPaidTitle', 'statusPaidLine', 'good'],
    cancelled: ['statusCancelledTitle', 'statusCancelledLine', 'bad'],
  }
  // Past its deadline a link counts as expired here, even before the sweeper has marked it.
  const [title, line, mark] = texts[link.status] ?? ['statusExpiredTitle', 'statusExpiredLine', 'wait']
  const merchant = context.config.merchantName
  const payments = (link.payments ?? []).flatMap(({ payment_id, created_at }) => [
    row(say('paymentId'), html`${payment_id}`),
    row(say('paidOn'), html`${indianTime(lang, created_at)}`),
  ])
  return sheet(view, {
    status: 200,
    title: `${say(title)} · ${merchant}`,
    pane: html`${sign(mark)}
      <h1>${say(title)}</h1>
      <p class="lead">${say(line, { merchant })}</p>
      ${payments.length > 0 ? html`<dl>${payments}</dl>` : null}`,
  })
}

function receipt({ lang }: View, payment: Payment): ReturnType<typeof html> {
  const say = sayIn(lang)
  const rrn = payment.acquirer_data['rrn']
  return html`<dl>
    ${row(say('paymentId'), html`${payment.id}`)} ${rrn ? row(say('bankReference'), html`${rrn}`) : null}
    ${row(say('paidOn'), html`${indianTime(lang, payment.created_at)}`)}
  </dl>`
}
