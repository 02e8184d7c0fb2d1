import type { Payment } from './entities.ts'
import { row, sheet, sign, type Sign, type View } from './hosted-sheet.ts'
import { indianTime, rupees, textsIn, type TextKey } from './hosted-texts.ts'
import { html } from './html.ts'
import type { Answer } from './http.ts'

/** How often the page of a pending payment looks again, seconds. */
const lookAgainSeconds = 3

/** Options of the page after a payment. */
type Ending = {
  /** Where the customer goes; null leaves them here. */
  readonly returnTo: string | null
  readonly isReturnLost: boolean
  readonly isTwice: boolean
}

/** The page after a successful payment. */
export function successPage(view: View, payment: Payment, { returnTo, isReturnLost, isTwice }: Ending): Answer {
  const { context, lang } = view
  const text = textsIn(lang)
  const merchant = context.config.merchantName
  const seconds = context.config.redirectSeconds
  const amount = rupees(payment.amount)
  const onward = returnTo
    ? html`<p>${text('returning', { merchant, seconds: String(seconds) })}</p>
        <a class="button main" href="${returnTo}">${text('returnNow')}</a>`
    : html`<p>${text(isReturnLost ? 'lostLine' : 'closeLine')}</p>`
  return sheet(view, {
    status: 200,
    title: `${text('paidTitle')} · ${merchant}`,
    refresh: returnTo ? { seconds, url: returnTo } : undefined,
    pane: html`${sign('good')}
      <div role="status">
        <h1>${text('paidTitle')}</h1>
        <p class="lead">${text('paidLine', { merchant, amount })}</p>
        ${isTwice ? html`<p>${text('paidTwice', { amount })}</p>` : null}
      </div>
      ${receipt(view, payment)}
      <div class="return">${onward}</div>`,
  })
}

/** The page of a payment that was refunded because nothing was due. */
export function returnedPage(view: View, payment: Payment): Answer {
  const text = textsIn(view.lang)
  return sheet(view, {
    status: 200,
    title: `${text('returnedTitle')} · ${view.context.config.merchantName}`,
    pane: html`${sign('wait')}
      <div role="status">
        <h1>${text('returnedTitle')}</h1>
        <p class="lead">${text('returnedLine', { amount: rupees(payment.amount) })}</p>
      </div>
      ${receipt(view, payment)}
      <div class="return"><p>${text('closeLine')}</p></div>`,
  })
}

/** The page of a payment whose bank has not answered. */
export function pendingPage(view: View): Answer {
  const text = textsIn(view.lang)
  const url = `${view.address}${view.address.includes('?') ? '&' : '?'}lang=${view.lang}`
  return sheet(view, {
    status: 200,
    title: `${text('pendingTitle')} · ${view.context.config.merchantName}`,
    refresh: { seconds: lookAgainSeconds, url },
    pane: html`${sign('wait')}
      <div role="status">
        <h1>${text('pendingTitle')}</h1>
        <p class="lead">${text('pendingLine')}</p>
      </div>
      <div class="return"><p>${text('pendingReload')}</p></div>`,
  })
}

/** The page of a link that can no longer be paid. */
export function statusPage(view: View): Answer {
  const { context, link, lang } = view
  const text = textsIn(lang)
  const texts: Record<string, readonly [TextKey, TextKey, Sign]> = {
    paid: ['statusPaidTitle', 'statusPaidLine', 'good'],
    cancelled: ['statusCancelledTitle', 'statusCancelledLine', 'bad'],
  }
  // Past its deadline a link counts as expired here, even before the sweeper has marked it.
  const [title, line, mark] = texts[link.status] ?? ['statusExpiredTitle', 'statusExpiredLine', 'wait']
  const merchant = context.config.merchantName
  const payments = (link.payments ?? []).flatMap(({ payment_id, created_at }) => [
    row(text('paymentId'), html`${payment_id}`),
    row(text('paidOn'), html`${indianTime(lang, created_at)}`),
  ])
  return sheet(view, {
    status: 200,
    title: `${text(title)} · ${merchant}`,
    pane: html`${sign(mark)}
      <h1>${text(title)}</h1>
      <p class="lead">${text(line, { merchant })}</p>
      ${payments.length > 0 ? html`<dl>${payments}</dl>` : null}`,
  })
}

function receipt({ lang }: View, payment: Payment): ReturnType<typeof html> {
  const text = textsIn(lang)
  const rrn = payment.acquirer_data['rrn']
  return html`<dl>
    ${row(text('paymentId'), html`${payment.id}`)} ${rrn ? row(text('bankReference'), html`${rrn}`) : null}
    ${row(text('paidOn'), html`${indianTime(lang, payment.created_at)}`)}
  </dl>`
}
