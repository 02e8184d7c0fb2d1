import { encode } from 'uqr'
import { TEST_CARD, TEST_CARD_LIST } from './cards.ts'
import type { Link, Method, Payment } from './entities.ts'
import { partBounds, type Typed, type Wrong } from './hosted-form.ts'
import { COUNTDOWN, CARD_NETWORK, FIRST_WRONG, QR_WATCH } from './hosted-scripts.ts'
import { sheet, type View } from './hosted-sheet.ts'
import { rupees, sayIn, type Say, type TextKey } from './hosted-texts.ts'
import { html, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { BANKS, FAILURE_REASONS, VPA_SUCCESS, VPAS, WALLETS } from './instruments.ts'
import { LATE_AFTER_S } from './payments.ts'

/** The input and errors that the form shows. */
export type Filled = {
  /** The attempt that has just failed. */
  readonly failed?: Payment | undefined
  readonly typed: Typed
  readonly wrong: Readonly<Record<string, Wrong>>
}

/** The payment page: one form that shows the fields of the chosen method. */
export function payPage(view: View, filled: Filled): Answer {
  const { context, link, lang } = view
  const say = sayIn(lang)
  const due = rupees(link.amount - link.amount_paid)
  const title = `${say('pay', { amount: due })} · ${context.config.merchantName}`
  const isWrong = Object.keys(filled.wrong).length > 0
  const chosen = link.methods.find((method) => method === filled.typed['method']) ?? link.methods[0]
  return sheet(view, {
    status: isWrong ? 422 : 200,
    title: filled.failed ? `${say('failedTitle')} · ${title}` : title,
    isOpen: true,
    script: COUNTDOWN + CARD_NETWORK + QR_WATCH + FIRST_WRONG,
    pane: html`${filled.failed ? failureNotice(say, filled.failed) : null}
      ${isWrong ? html`<div class="notice" role="alert"><p>${say('checkForm')}</p></div>` : null}
      <h1>${say('choose')}</h1>
      <form method="post" action="/i/${link.slug}/pay" novalidate>
        <input type="hidden" name="lang" value="${lang}" />
        ${link.accept_partial ? partField(say, link, filled) : null}
        <fieldset class="methods">
          <legend class="unseen">${say('methods')}</legend>
          ${link.methods.map((method) => methodPanel(view, say, method, method === chosen, filled))}
        </fieldset>
        ${contactFields(say, filled)}
        <div class="pay">
          <button class="main" name="outcome" value="success">${link.accept_partial ? say('payPart') : say('pay', { amount: due })}</button>
        </div>
        <button class="test" name="outcome" value="failure">${say('simulateFailure')}</button>
        ${testOutcomes(say, filled.typed)}
      </form>`,
  })
}

function partField(say: Say, link: Link, filled: Filled): Html {
  return field(say, filled, {
    name: 'part_amount',
    label: 'partAmount',
    hint: say('partHint', partBounds(link)),
    inputmode: 'decimal',
    fallback: inRupees(link.amount - link.amount_paid),
  })
}

/** An amount as it is typed. */
const inRupees = (paise: number): string => rupees(paise).replace(/[₹,]/g, '')

function contactFields(say: Say, filled: Filled): Html {
  const isReflected = ['contact', 'email'].some((name) => filled.typed[name] || filled.wrong[name])
  return html`<details class="contact" ${isReflected ? html`open` : null}>
    <summary>${say('contact')}</summary>
    <div class="pair">
      ${field(say, filled, { name: 'contact', label: 'phone', type: 'tel', autocomplete: 'tel' })}
      ${field(say, filled, { name: 'email', label: 'email', type: 'email', autocomplete: 'email' })}
    </div>
  </details>`
}

function methodPanel(view: View, say: Say, method: Method, isChosen: boolean, filled: Filled): Html {
  const panels: Record<Method, () => Html> = {
    upi: () => upiPanel(view, say, filled),
    card: () => cardPanel(say, filled),
    netbanking: () => choice(say, filled, 'bank', BANKS),
    wallet: () => choice(say, filled, 'wallet', WALLETS),
    bank_transfer: () => transferPanel(view, say, filled),
  }
  return html`<div class="method">
    <input
      type="radio"
      name="method"
      id="method-${method}"
      value="${method}"
      aria-describedby="method-${method}-hint"
      ${isChosen ? html`checked` : null}
    />
    <label for="method-${method}">${say(`method_${method}`)}</label>
    <span class="hint" id="method-${method}-hint">${say(`methodHint_${method}`)}</span>
    <div class="panel">${panels[method]()}</div>
  </div>`
}

/** Brand names, the same in every language. */
const UPI_APPS = ['Google Pay', 'PhonePe', 'Paytm', 'BHIM']

function upiPanel({ context, link, lang }: View, say: Say, filled: Filled): Html {
  const app = `/i/${link.slug}/upi?lang=${lang}`
  return html`<details class="qr" data-status="/i/${link.slug}/status" data-done="/i/${link.slug}/done?lang=${lang}">
      <summary>${say('qrShow')}</summary>
      ${qrPicture(`${context.publicUrl}/i/${link.slug}/upi`, say('qrLabel'))}
      <p class="hint">${say('qrHint')}</p>
      <p><a href="${app}">${say('qrOpen')}</a></p>
    </details>
    <div class="apps">
      <p id="apps">${say('apps')}</p>
      <ul aria-labelledby="apps">
        ${UPI_APPS.map((name) => html`<li><a class="button" href="${app}">${name}</a></li>`)}
      </ul>
    </div>
    ${field(say, filled, {
      name: 'vpa',
      label: 'vpaLabel',
      hint: say('vpaHint'),
      inputmode: 'email',
      list: 'vpas',
      fallback: VPA_SUCCESS,
    })}
    <datalist id="vpas">${VPAS.map((vpa) => html`<option value="${vpa}"></option>`)}</datalist>`
}

function cardPanel(say: Say, filled: Filled): Html {
  const hint = say('cardHint', { card: TEST_CARD })
  return html`${field(say, filled, { name: 'card_number', label: 'cardNumber', hint, inputmode: 'numeric', list: 'cards', max: 23 })}
    <output class="network" for="card_number" data-networks></output>
    <datalist id="cards">
      ${TEST_CARD_LIST.map(([number, reason]) => html`<option value="${number}">${reason ?? 'success'}</option>`)}
    </datalist>
    <div class="pair">
      ${field(say, filled, { name: 'card_expiry', label: 'cardExpiry', inputmode: 'numeric', max: 7 })}
      ${field(say, filled, { name: 'card_cvv', label: 'cardCvv', inputmode: 'numeric', max: 4 })}
    </div>
    ${field(say, filled, { name: 'card_name', label: 'cardName', max: 60 })}`
}

function choice(say: Say, filled: Filled, name: 'bank' | 'wallet', names: Readonly<Record<string, string>>): Html {
  const wrong = filled.wrong[name]
  return html`<div>
    <label for="${name}">${say(name)}</label>
    <select id="${name}" name="${name}" aria-invalid="${String(wrong !== undefined)}" ${described(name, wrong, undefined)}>
      <option value="">${say('select')}</option>
      ${options(names, filled.typed[name])}
    </select>
    ${complaint(say, name, wrong)}
  </div>`
}

function transferPanel({ context, link }: View, say: Say, filled: Filled): Html {
  const rows: readonly (readonly [TextKey, string])[] = [
    ['transferName', context.config.merchantName],
    ['transferAccount', accountOf(link)],
    ['transferIfsc', 'KIST0SANDBX'],
  ]
  return html`<p>${say('transferIntro')}</p>
    <dl>
      ${rows.map(
        ([key, value]) =>
          html`<div>
            <dt>${say(key)}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${field(say, filled, {
      name: 'transfer_amount',
      label: 'transferAmount',
      hint: say('transferHint'),
      inputmode: 'decimal',
      fallback: inRupees(link.amount - link.amount_paid),
    })}
    <button class="main" name="outcome" value="success">${say('transferSend')}</button>`
}

/** An account number that belongs to this link alone. */
function accountOf({ id }: Link): string {
  const digits = [...id].map((letter) => String((letter.codePointAt(0) ?? 0) % 10)).join('')
  return `2223${digits.slice(-12)}`
}

function testOutcomes(say: Say, typed: Typed): Html {
  const seconds = { seconds: String(LATE_AFTER_S) }
  const outcome = (value: string, text: TextKey, hint: TextKey): Html =>
    html`<button class="test" name="outcome" value="${value}">${say(text)}</button>
      <p class="hint">${say(hint, seconds)}</p>`
  const reasons = Object.fromEntries(FAILURE_REASONS.map((reason) => [reason, say(`failed_${reason}` as TextKey)]))
  return html`<details>
    <summary>${say('moreOutcomes')}</summary>
    ${outcome('late_success', 'simulateLate', 'lateHint')} ${outcome('pending_success', 'simulatePending', 'pendingHint')}
    ${outcome('pending_failure', 'simulatePendingFailure', 'pendingFailureHint')}
    ${outcome('success_no_redirect', 'simulateLost', 'lostHint')} ${outcome('success_twice', 'simulateTwice', 'twiceHint')}
    <label for="reason">${say('failWith')}</label>
    <select id="reason" name="reason">
      ${options(reasons, typed['reason'])}
    </select>
    <button class="test" name="outcome" value="failure_with_reason">${say('simulateReason')}</button>
  </details>`
}

type Field = {
  readonly name: string
  readonly label: TextKey
  readonly hint?: string
  readonly type?: 'text' | 'tel' | 'email'
  readonly inputmode?: 'email' | 'numeric' | 'decimal'
  readonly autocomplete?: string
  readonly list?: string
  readonly max?: number
  readonly fallback?: string
}

/** A labelled input with hint and error; card number and CVV are never shown again. */
function field(say: Say, filled: Filled, { name, label, hint, type = 'text', ...more }: Field): Html {
  // The UPI ID keeps the short name it is known by.
  const id = name
  const wrong = filled.wrong[name]
  return html`<div>
    <label for="${id}">${say(label)}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${filled.typed[name] ?? more.fallback ?? ''}"
      autocomplete="${more.autocomplete ?? 'off'}"
      autocapitalize="none"
      spellcheck="false"
      aria-invalid="${String(wrong !== undefined)}"
      ${more.inputmode ? html`inputmode="${more.inputmode}"` : null}
      ${more.list ? html`list="${more.list}"` : null}
      ${more.max ? html`maxlength="${more.max}"` : null}
      ${described(name, wrong, hint)}
    />
    ${complaint(say, name, wrong)} ${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`
}

function described(name: string, wrong: Wrong | undefined, hint: string | undefined): Html | null {
  const ids = [wrong ? `${name}-wrong` : '', hint === undefined ? '' : `${name}-hint`].filter((id) => id !== '')
  return ids.length === 0 ? null : html`aria-describedby="${ids.join(' ')}"`
}

function complaint(say: Say, name: string, wrong: Wrong | undefined): Html | null {
  return wrong === undefined ? null : html`<p class="wrong" id="${name}-wrong">${say(wrong.key, wrong.blanks)}</p>`
}

function options(names: Readonly<Record<string, string>>, chosen: string | undefined): Html[] {
  return Object.entries(names).map(
    ([value, name]) => html`<option value="${value}" ${value === chosen ? html`selected` : null}>${name}</option>`,
  )
}

function failureNotice(say: Say, failed: Payment): Html {
  const isLate = failed.error?.reason === 'payment_timed_out'
  const key = `failed_${failed.error?.reason ?? 'payment_declined'}` as TextKey
  return html`<div class="notice ${isLate ? 'wait' : ''}" role="alert">
    ${isLate ? null : html`<h2>${say('failedTitle')}</h2>`}
    <p>${say(key)} ${say(isLate ? 'failedLateAgain' : 'failedAgain')}</p>
  </div>`
}

/** One path for all dark modules, with the quiet zone of four modules that scanners need. */
function qrPicture(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg class="code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${squares.join('')}" fill="#000" />
  </svg>`
}
