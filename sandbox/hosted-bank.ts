import type { Payment } from './entities.ts'
import { sheet, type View } from './hosted-sheet.ts'
import { rupees, sayIn } from './hosted-texts.ts'
import { html, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { BANKS, WALLETS } from './instruments.ts'

/** The bank's page: a one-time password for a card, a choice of outcome for other methods. */
export function bankPage(view: View, payment: Payment, isOtpWrong: boolean): Answer {
  const { context, link, lang } = view
  const say = sayIn(lang)
  const bank = BANKS[payment.bank ?? ''] ?? WALLETS[payment.wallet ?? '']
  const title = bank === undefined ? say('bankPage') : say('bankOf', { bank })
  const isCard = payment.method === 'card'
  return sheet(view, {
    status: isOtpWrong ? 422 : 200,
    title: `${title} · ${context.config.merchantName}`,
    pane: html`<h1>${title}</h1>
      <p class="lead">${say('bankPays', { amount: rupees(payment.amount), merchant: context.config.merchantName })}</p>
      <form method="post" action="/i/${link.slug}/bank" novalidate>
        <input type="hidden" name="lang" value="${lang}" />
        <input type="hidden" name="payment" value="${payment.id}" />
        ${isCard ? otpField(view, isOtpWrong) : answers(view)}
        <button name="answer" value="cancel">${say('bankCancel')}</button>
      </form>`,
  })
}

function otpField({ lang }: View, isWrong: boolean): Html {
  const say = sayIn(lang)
  return html`<div>
      <label for="otp">${say('otpLabel')}</label>
      <input
        id="otp"
        name="otp"
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength="12"
        aria-invalid="${String(isWrong)}"
        aria-describedby="${isWrong ? 'otp-wrong otp-hint' : 'otp-hint'}"
      />
      ${isWrong ? html`<p class="wrong" id="otp-wrong" role="alert">${say('otpWrong')}</p>` : null}
      <p class="hint" id="otp-hint">${say('otpHint')}</p>
    </div>
    <button class="main" name="answer" value="otp">${say('otpSubmit')}</button>`
}

function answers({ lang }: View): Html {
  const say = sayIn(lang)
  return html`<p>${say('bankChoose')}</p>
    <button class="main" name="answer" value="success">${say('bankSuccess')}</button>
    <button name="answer" value="failure">${say('bankFailure')}</button>`
}

/** The customer's UPI app: on their phone after a scan, or opened from the page itself. */
export function upiAppPage(view: View): Answer {
  const { context, link, lang } = view
  const say = sayIn(lang)
  const merchant = context.config.merchantName
  return sheet(view, {
    status: 200,
    title: `${say('upiApp')} · ${merchant}`,
    isOpen: true,
    pane: html`<h1>${say('upiApp')}</h1>
      <p class="lead">${say('upiAsk', { merchant, amount: rupees(link.amount - link.amount_paid) })}</p>
      <form method="post" action="/i/${link.slug}/upi">
        <input type="hidden" name="lang" value="${lang}" />
        <button class="main" name="answer" value="approve">${say('upiApprove')}</button>
        <button name="answer" value="decline">${say('upiDecline')}</button>
      </form>`,
  })
}
