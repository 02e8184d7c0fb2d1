import { encode } from 'uqr'
import { testCard, testCardList } from './cards.ts'
import type { Link, Method, Payment } from './entities.ts'
import { partBounds, type Typed, type Wrong } from './hosted-form.ts'
import { countdownScript, cardNetworkScript, firstWrongScript, qrWatchScript } from './hosted-scripts.ts'
import { sheet, type View } from './hosted-sheet.ts'
import { rupees, textsIn, type TextFunction, type TextKey } from './hosted-texts.ts'
import { html, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { banks, failureReasons, succeedingVpa, testVpas, wallets } from './instruments.ts'
import { lateAfterSeconds } from './payments.ts'

/** The input and errors that the form shows. */
type Filled = {
  /** The attempt that has just failed. */
  readonly failed?: Payment | undefined
  readonly typed: Typed
  readonly wrong: Readonly<Record<string, Wrong>>
}

/** The payment page: one form that shows the fields of the chosen method. */
export function payPage(view: View, filled: Filled): Answer {
  const { context, link, lang } = view
  const text = textsIn(lang)
  const due = rupees(link.amount - link.amount_paid)
  const payDue = text('pay', { amount: due })
  const title = `${payDue} · ${context.config.merchantName}`
  const isWrong = Object.keys(filled.wrong).length > 0
  const chosen = link.methods.find((method) => method === filled.typed['method']) ?? link.methods[0]
  return sheet(view, {
    status: isWrong ? 422 : 200,
    title: filled.failed ? `${text('failedTitle')} · ${title}` : title,
    isOpen: true,
    script: countdownScript + cardNetworkScript + qrWatchScript + firstWrongScript,
    pane: html`${filled.failed ? failureNotice(text, filled.failed) : null}
      ${isWrong ? html`<div class="notice" role="alert"><p>${text('checkForm')}</p></div>` : null}
      <h1>${text('choose')}</h1>
      <form method="post" action="/i/${link.slug}/pay" novalidate>
        <input type="hidden" name="lang" value="${lang}" />
        ${link.accept_partial ? partField(text, link, filled) : null}
        <fieldset class="methods">
          <legend class="unseen">${text('methods')}</legend>
          ${link.methods.map((method) => methodPanel(view, text, method, method === chosen, filled))}
        </fieldset>
        ${contactFields(text, filled)}
        <div class="pay">
          <button class="main" name="outcome" value="success">${link.accept_partial ? text('payPart') : payDue}</button>
        </div>
        <button class="test" name="outcome" value="failure">${text('simulateFailure')}</button>
        ${testOutcomes(text, filled.typed)}
      </form>`,
  })
}

function partField(text: TextFunction, link: Link, filled: Filled): Html {
  return field(text, filled, {
    name: 'part_amount',
    label: 'partAmount',
    hint: text('partHint', partBounds(link)),
    inputmode: 'decimal',
    fallback: inRupees(link.amount - link.amount_paid),
  })
}

/** An amount as it is typed. */
const inRupees = (paise: number): string => rupees(paise).replace(/[₹,]/g, '')

function contactFields(text: TextFunction, filled: Filled): Html {
  const isReflected = ['contact', 'email'].some((name) => filled.typed[name] || filled.wrong[name])
  return html`<details class="contact" ${isReflected ? html`open` : null}>
    <summary>${text('contact')}</summary>
    <div class="pair">
      ${field(text, filled, { name: 'contact', label: 'phone', type: 'tel', autocomplete: 'tel' })}
      ${field(text, filled, { name: 'email', label: 'email', type: 'email', autocomplete: 'email' })}
    </div>
  </details>`
}

function methodPanel(view: View, text: TextFunction, method: Method, isChosen: boolean, filled: Filled): Html {
  const panels: Record<Method, () => Html> = {
    upi: () => upiPanel(view, text, filled),
    card: () => cardPanel(text, filled),
    netbanking: () => choice(text, filled, 'bank', banks),
    wallet: () => choice(text, filled, 'wallet', wallets),
    bank_transfer: () => transferPanel(view, text, filled),
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
    <label for="method-${method}">${text(`method_${method}`)}</label>
    <span class="hint" id="method-${method}-hint">${text(`methodHint_${method}`)}</span>
    <div class="panel">${panels[method]()}</div>
  </div>`
}

/** Brand names, the same in every language. */
const upiApps = ['Google Pay', 'PhonePe', 'Paytm', 'BHIM']

function upiPanel({ context, link, lang }: View, text: TextFunction, filled: Filled): Html {
  const app = `/i/${link.slug}/upi?lang=${lang}`
  return html`<details class="qr" data-status="/i/${link.slug}/status" data-done="/i/${link.slug}/done?lang=${lang}">
      <summary>${text('qrShow')}</summary>
      ${qrPicture(`${context.publicUrl}/i/${link.slug}/upi`, text('qrLabel'))}
      <p class="hint">${text('qrHint')}</p>
      <p><a href="${app}">${text('qrOpen')}</a></p>
    </details>
    <div class="apps">
      <p id="apps">${text('apps')}</p>
      <ul aria-labelledby="apps">
        ${upiApps.map((name) => html`<li><a class="button" href="${app}">${name}</a></li>`)}
      </ul>
    </div>
    ${field(text, filled, {
      name: 'vpa',
      label: 'vpaLabel',
      hint: text('vpaHint'),
      inputmode: 'email',
      list: 'vpas',
      fallback: succeedingVpa,
    })}
    <datalist id="vpas">${testVpas.map((vpa) => html`<option value="${vpa}"></option>`)}</datalist>`
}

function cardPanel(text: TextFunction, filled: Filled): Html {
  const hint = text('cardHint', { card: testCard })
  return html`${field(text, filled, { name: 'card_number', label: 'cardNumber', hint, inputmode: 'numeric', list: 'cards', max: 23 })}
    <output class="network" for="card_number" data-networks></output>
    <datalist id="cards">
      ${testCardList.map(([number, reason]) => html`<option value="${number}">${reason ?? 'success'}</option>`)}
    </datalist>
    <div class="pair">
      ${field(text, filled, { name: 'card_expiry', label: 'cardExpiry', inputmode: 'numeric', max: 7 })}
      ${field(text, filled, { name: 'card_cvv', label: 'cardCvv', inputmode: 'numeric', max: 4 })}
    </div>
    ${field(text, filled, { name: 'card_name', label: 'cardName', max: 60 })}`
}

function choice(text: TextFunction, filled: Filled, name: 'bank' | 'wallet', names: Readonly<Record<string, string>>): Html {
  const wrong = filled.wrong[name]
  return html`<div>
    <label for="${name}">${text(name)}</label>
    <select id="${name}" name="${name}" aria-invalid="${String(wrong !== undefined)}" ${described(name, wrong, undefined)}>
      <option value="">${text('select')}</option>
      ${options(names, filled.typed[name])}
    </select>
    ${complaint(text, name, wrong)}
  </div>`
}

function transferPanel({ context, link }: View, text: TextFunction, filled: Filled): Html {
  const rows: readonly (readonly [TextKey, string])[] = [
    ['transferName', context.config.merchantName],
    ['transferAccount', accountOf(link)],
    ['transferIfsc', 'KIST0SANDBX'],
  ]
  return html`<p>${text('transferIntro')}</p>
    <dl>
      ${rows.map(
        ([key, value]) =>
          html`<div>
            <dt>${text(key)}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${field(text, filled, {
      name: 'transfer_amount',
      label: 'transferAmount',
      hint: text('transferHint'),
      inputmode: 'decimal',
      fallback: inRupees(link.amount - link.amount_paid),
    })}
    <button class="main" name="outcome" value="success">${text('transferSend')}</button>`
}

/** An account number that belongs to this link alone. */
function accountOf({ id }: Link): string {
  const digits = [...id].map((letter) => String((letter.codePointAt(0) ?? 0) % 10)).join('')
  return `2223${digits.slice(-12)}`
}

function testOutcomes(text: TextFunction, typed: Typed): Html {
  const seconds = { seconds: String(lateAfterSeconds) }
  const outcome = (value: string, label: TextKey, hint: TextKey): Html =>
    html`<button class="test" name="outcome" value="${value}">${text(label)}</button>
      <p class="hint">${text(hint, seconds)}</p>`
  const reasons = Object.fromEntries(failureReasons.map((reason) => [reason, text(`failed_${reason}` as TextKey)]))
  return html`<details>
    <summary>${text('moreOutcomes')}</summary>
    ${outcome('late_success', 'simulateLate', 'lateHint')} ${outcome('pending_success', 'simulatePending', 'pendingHint')}
    ${outcome('pending_failure', 'simulatePendingFailure', 'pendingFailureHint')}
    ${outcome('success_no_redirect', 'simulateLost', 'lostHint')} ${outcome('success_twice', 'simulateTwice', 'twiceHint')}
    <label for="reason">${text('failWith')}</label>
    <select id="reason" name="reason">
      ${options(reasons, typed['reason'])}
    </select>
    <button class="test" name="outcome" value="failure_with_reason">${text('simulateReason')}</button>
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
function field(text: TextFunction, filled: Filled, { name, label, hint, type = 'text', ...more }: Field): Html {
  const wrong = filled.wrong[name]
  return html`<div>
    <label for="${name}">${text(label)}</label>
    <input
      id="${name}"
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
    ${complaint(text, name, wrong)} ${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`
}

function described(name: string, wrong: Wrong | undefined, hint: string | undefined): Html | null {
  const ids = [wrong ? `${name}-wrong` : '', hint === undefined ? '' : `${name}-hint`].filter((id) => id !== '')
  return ids.length === 0 ? null : html`aria-describedby="${ids.join(' ')}"`
}

function complaint(text: TextFunction, name: string, wrong: Wrong | undefined): Html | null {
  return wrong === undefined ? null : html`<p class="wrong" id="${name}-wrong">${text(wrong.key, wrong.blanks)}</p>`
}

function options(names: Readonly<Record<string, string>>, chosen: string | undefined): Html[] {
  return Object.entries(names).map(
    ([value, name]) => html`<option value="${value}" ${value === chosen ? html`selected` : null}>${name}</option>`,
  )
}

function failureNotice(text: TextFunction, failed: Payment): Html {
  const isLate = failed.error?.reason === 'payment_timed_out'
  const key = `failed_${failed.error?.reason ?? 'payment_declined'}` as TextKey
  return html`<div class="notice ${isLate ? 'wait' : ''}" role="alert">
    ${isLate ? null : html`<h2>${text('failedTitle')}</h2>`}
    <p>${text(key)} ${text(isLate ? 'failedLateAgain' : 'failedAgain')}</p>
  </div>`
}

/** One path for all dark modules, with the quiet zone of four modules that scanners need. */
export function qrPicture(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg class="code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${squares.join('')}" fill="#000" />
  </svg>`
}
