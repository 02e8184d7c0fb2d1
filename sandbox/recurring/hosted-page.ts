import { qrPicture } from '../hosted-pay.ts'
import { row, sign, twoParts, type Sign, type View } from '../hosted-sheet.ts'
import { indianTime, rupees, textsIn, type TextKey } from '../hosted-texts.ts'
import { html, type Html } from '../html.ts'
import type { Answer } from '../http.ts'
import { banks } from '../instruments.ts'
import type { MandateTerms, Registration, Token } from './entities.ts'
import { isOpenRegistration } from './registrations.ts'

export type MandateView = Omit<View, 'link'> & { readonly registration: Registration }

/** The page that asks the customer to approve a mandate, in the UPI app or on the bank's page. */
export function requestPage(view: MandateView): Answer {
  const { context, registration, lang, address } = view
  const text = textsIn(lang)
  const { terms } = registration
  const isUpi = terms.method === 'upi'
  const values = { merchant: context.config.merchantName, max: rupees(terms.max_amount) }
  return sheetOf(view, {
    title: text('mandateTitle'),
    pane: html`<h1>${text('mandateTitle')}</h1>
      <p class="lead">${text('mandateLine', values)}</p>
      <p class="hint">${isUpi ? text('mandateOne', { amount: rupees(registration.amount) }) : text('mandateBankNote')}</p>
      ${isUpi ? qrCode(view) : null}
      <form method="post" action="${address}/answer">
        <input type="hidden" name="lang" value="${lang}" />
        <button class="main" name="answer" value="approve">${text('mandateApprove')}</button>
        <button name="answer" value="decline">${text('mandateDecline')}</button>
        ${
          isUpi
            ? null
            : html`<details>
                <summary>${text('moreOutcomes')}</summary>
                <button class="test" name="answer" value="reject_later">${text('mandateRejectLater')}</button>
                <p class="hint">${text('mandateRejectLaterHint')}</p>
              </details>`
        }
      </form>`,
  })
}

/** On a wide screen: the same page on the customer's phone. */
function qrCode({ context, lang, address }: MandateView): Html {
  const text = textsIn(lang)
  return html`<details class="qr">
    <summary>${text('mandateQr')}</summary>
    ${qrPicture(`${context.publicUrl}${address}`, text('mandateQr'))}
  </details>`
}

type State = readonly [title: TextKey, line: TextKey, mark: Sign]

const cancelledState: State = ['mandateCancelledTitle', 'mandateCancelledLine', 'bad']
const expiredState: State = ['mandateExpiredTitle', 'mandateExpiredLine', 'wait']
const declinedState: State = ['mandateDeclinedTitle', 'mandateDeclinedLine', 'bad']
const stateByToken: Readonly<Record<Token['status'], State>> = {
  initiated: ['mandateWaitTitle', 'mandateWaitLine', 'wait'],
  confirmed: ['mandateDoneTitle', 'mandateDoneLine', 'good'],
  paused: ['mandatePausedTitle', 'mandatePausedLine', 'wait'],
  rejected: ['mandateEndedTitle', 'mandateEndedLine', 'bad'],
  cancellation_initiated: ['mandateEndedTitle', 'mandateEndedLine', 'bad'],
  cancelled: ['mandateEndedTitle', 'mandateEndedLine', 'bad'],
}

/** The page of a link that was answered, has expired or was cancelled. */
export function statePage(view: MandateView): Answer {
  const { context, registration, lang, address } = view
  const text = textsIn(lang)
  const isOpen = isOpenRegistration(context, registration)
  const [title, line, mark] = isOpen ? declinedState : stateOf(view)
  const values = { merchant: context.config.merchantName, max: rupees(registration.terms.max_amount) }
  return sheetOf(view, {
    title: text(title),
    pane: html`${sign(mark)}
      <div role="status">
        <h1>${text(title)}</h1>
        <p class="lead">${text(line, values)}</p>
      </div>
      <div class="return">
        ${isOpen ? html`<a class="button" href="${address}?lang=${lang}">${text('mandateAgain')}</a>` : null}
        <p>${text('closeLine')}</p>
      </div>`,
  })
}

function stateOf({ context, registration }: MandateView): State {
  if (registration.status === 'cancelled') return cancelledState
  const payment = context.store.get('payment', registration.payment_id ?? '')
  const token = context.store.get('token', payment?.mandate?.token_id ?? '')
  return token === undefined ? expiredState : stateByToken[token.status]
}

function sheetOf(view: MandateView, { title, pane }: { readonly title: string; readonly pane: Html }): Answer {
  const { context, registration, lang } = view
  const text = textsIn(lang)
  const { terms, expire_by } = registration
  const account = terms.bank_account
  const rows: readonly (Html | null)[] = [
    row(text('purpose'), html`${registration.description}`),
    registration.receipt ? row(text('reference'), html`${registration.receipt}`) : null,
    row(text('mandateMethod'), html`${text(methodKey(terms))}`),
    account === null ? null : row(text('mandateAccount'), html`${text('mandateAccountEnd', accountEnd(account))}`),
    row(text('mandateUntil'), html`${indianTime(lang, terms.expire_at)}`),
    expire_by !== null && registration.status === 'issued' ? row(text('mandateAnswerBy'), html`${indianTime(lang, expire_by)}`) : null,
  ]
  return twoParts(
    view,
    {
      name: 'mandateDetails',
      label: 'mandateTo',
      amount: text('mandateUpTo', { amount: rupees(terms.max_amount) }),
      rows: rows.filter((one) => one !== null),
    },
    { status: 200, title: `${title} · ${context.config.merchantName}`, pane },
  )
}

function methodKey({ auth_type }: MandateTerms): TextKey {
  return auth_type === null ? 'mandate_upi' : `mandate_${auth_type}`
}

function accountEnd({ ifsc, account_number }: NonNullable<MandateTerms['bank_account']>): Record<string, string> {
  const code = ifsc.slice(0, 4)
  return { bank: banks[code] ?? code, last4: account_number.slice(-4) }
}
