import type { Payment } from './entities.ts'
import { sheet, type View } from './hosted-sheet.ts'
import { rupees, textsIn } from './hosted-texts.ts'
import { html, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { banks, wallets } from './instruments.ts'

/** The bank's page: a one-time password for a card, a choice of outcome for other methods. */
export function bankPage(view: View, payment: Payment, isOtpWrong: boolean): Answer {
  const { context, link, lang } = view
  const text = textsIn(lang)
  const bank = banks[payment.bank ?? ''] ?? wallets[payment.wallet ?? '']
  const title = bank === undefined ? text('bankPage') : text('bankOf', { bank })
  const isCard = payment.method === 'card'
  return sheet(view, {
    status: isOtpWrong ? 422 : 200,
    title: `${title} · ${context.config.merchantName}`,
    pane: html`<h1>${title}</h1>
      <p class="lead">${text('bankPays', { amount: rupees(payment.amount), merchant: context.config.merchantName })}</p>
      <form method="post" action="/i/${link.slug}/bank" novalidate>
        <input type="hidden" name="lang" value="${lang}" />
        <input type="hidden" name="payment" value="${payment.id}" />
        ${isCard ? otpField(view, isOtpWrong) : answers(view)}
        <button name="answer" value="cancel">${text('bankCancel')}</button>
      </form>`,
  })
}

function otpField({ lang }: View, isWrong: boolean): Html {
  const text = textsIn(lang)
  return html`<div>
      <label for="otp">${text('otpLabel')}</label>
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
      ${isWrong ? html`<p class="wrong" id="otp-wrong" role="alert">${text('otpWrong')}</p>` : null}
      <p class="hint" id="otp-hint">${text('otpHint')}</p>
    </div>
    <button class="main" name="answer" value="otp">${text('otpSubmit')}</button>`
}

function answers({ lang }: View): Html {
  const text = textsIn(lang)
  return html`<p>${text('bankChoose')}</p>
    <button class="main" name="answer" value="success">${text('bankSuccess')}</button>
    <button name="answer" value="failure">${text('bankFailure')}</button>`
}

/** The customer's UPI app: on their phone after a scan, or opened from the page itself. */
export function upiAppPage(view: View): Answer {
  const { context, link, lang } = view
  const text = textsIn(lang)
  const merchant = context.config.merchantName
  return sheet(view, {
    status: 200,
    title: `${text('upiApp')} · ${merchant}`,
    isOpen: true,
    pane: html`<h1>${text('upiApp')}</h1>
      <p class="lead">${text('upiAsk', { merchant, amount: rupees(link.amount - link.amount_paid) })}</p>
      <form method="post" action="/i/${link.slug}/upi">
        <input type="hidden" name="lang" value="${lang}" />
        <button class="main" name="answer" value="approve">${text('upiApprove')}</button>
        <button name="answer" value="decline">${text('upiDecline')}</button>
      </form>`,
  })
}
