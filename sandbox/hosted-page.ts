import type { Link, Payment } from './entities.ts'
import { STYLE } from './hosted-style.ts'
import { indianTime, rupees, sayIn, type Lang, type Say, type TextKey } from './hosted-texts.ts'
import { html, pageAnswer, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { VPA_SUCCESS, VPAS } from './instruments.ts'
import { deadlineOf } from './link-state.ts'
import { LATE_AFTER_S } from './payments.ts'
import type { World } from './world.ts'

/** What every view of a link needs. */
export type View = {
  readonly world: World
  readonly link: Link
  readonly lang: Lang
  /** Path and query that show this view again, without the language. */
  readonly address: string
}

/** The page on which a link is paid; `failed` is the attempt that has just failed. */
export function payPage(view: View, extra: { readonly failed?: Payment | undefined; readonly wrongVpa?: string | undefined }): Answer {
  const { world, link, lang } = view
  const say = sayIn(lang)
  const due = rupees(link.amount - link.amount_paid)
  const isLate = extra.failed?.error?.reason === 'payment_timed_out'
  const title = `${say('pay', { amount: due })} · ${world.config.merchantName}`
  return sheet(view, {
    status: extra.wrongVpa === undefined ? 200 : 422,
    title: extra.failed ? `${say('failedTitle')} · ${title}` : title,
    isOpen: true,
    script: COUNTDOWN,
    pane: html`${extra.failed ? failureNotice(say, extra.failed, isLate) : null}
      <h1>${say('payByUpi')}</h1>
      <form method="post" action="/i/${link.slug}/pay">
        <input type="hidden" name="lang" value="${lang}" />
        <div>
          <label for="vpa">${say('vpaLabel')}</label>
          ${vpaField(say, extra.wrongVpa)}
        </div>
        <button class="main" name="outcome" value="success">${say('pay', { amount: due })}</button>
        <button name="outcome" value="failure">${say('simulateFailure')}</button>
        <details>
          <summary>${say('moreOutcomes')}</summary>
          <button name="outcome" value="late_success">${say('simulateLate')}</button>
          <p class="hint">${say('lateHint', { seconds: String(LATE_AFTER_S) })}</p>
          <button name="outcome" value="success_no_redirect">${say('simulateLost')}</button>
          <p class="hint">${say('lostHint')}</p>
        </details>
      </form>`,
  })
}

/** The page after a payment went through; `returnTo` null leaves the customer here. */
export function successPage(view: View, payment: Payment, returnTo: string | null, isReturnLost: boolean): Answer {
  const { world, lang } = view
  const say = sayIn(lang)
  const merchant = world.config.merchantName
  const seconds = world.config.redirectSeconds
  const rrn = payment.acquirer_data['rrn']
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
        <p class="lead">${say('paidLine', { merchant, amount: rupees(payment.amount) })}</p>
      </div>
      <dl>
        <div>
          <dt>${say('paymentId')}</dt>
          <dd>${payment.id}</dd>
        </div>
        ${
          rrn
            ? html`<div>
                <dt>${say('bankReference')}</dt>
                <dd>${rrn}</dd>
              </div>`
            : null
        }
        <div>
          <dt>${say('paidOn')}</dt>
          <dd>${indianTime(lang, payment.created_at)}</dd>
        </div>
      </dl>
      <div class="return">${onward}</div>`,
  })
}

/** The page of a link that takes no money any more. */
export function statusPage(view: View): Answer {
  const { world, link, lang } = view
  const say = sayIn(lang)
  const texts: Record<string, readonly [TextKey, TextKey, Sign]> = {
    paid: ['statusPaidTitle', 'statusPaidLine', 'good'],
    cancelled: ['statusCancelledTitle', 'statusCancelledLine', 'bad'],
  }
  // Past its deadline a link counts as expired here, even before the sweeper has marked it.
  const [title, line, mark] = texts[link.status] ?? ['statusExpiredTitle', 'statusExpiredLine', 'wait']
  const merchant = world.config.merchantName
  const payments = (link.payments ?? []).map(
    (payment) =>
      html`<div>
          <dt>${say('paymentId')}</dt>
          <dd>${payment.payment_id}</dd>
        </div>
        <div>
          <dt>${say('paidOn')}</dt>
          <dd>${indianTime(lang, payment.created_at)}</dd>
        </div>`,
  )
  return sheet(view, {
    status: 200,
    title: `${say(title)} · ${merchant}`,
    pane: html`${sign(mark)}
      <h1>${say(title)}</h1>
      <p class="lead">${say(line, { merchant })}</p>
      ${payments.length > 0 ? html`<dl>${payments}</dl>` : null}`,
  })
}

/** The page of an address that belongs to no link. */
export function notFoundPage(lang: Lang): Answer {
  const say = sayIn(lang)
  return pageAnswer({
    status: 404,
    lang,
    title: say('notFoundTitle'),
    style: STYLE,
    body: html`<header class="band">${say('testBand')}</header>
      <main>
        <div class="sheet">
          <section class="pane">
            ${sign('bad')}
            <h1>${say('notFoundTitle')}</h1>
            <p class="lead">${say('notFoundLine')}</p>
          </section>
        </div>
      </main>
      <footer><span>${say('footer')}</span></footer>`,
  })
}

type Sheet = {
  readonly status: number
  readonly title: string
  readonly pane: Html
  /** Whether the link still takes money: then what is due and until when is shown. */
  readonly isOpen?: boolean
  readonly script?: string
  readonly refresh?: { readonly seconds: number; readonly url: string } | undefined
}

function sheet({ world, link, lang, address }: View, { pane, isOpen = false, ...page }: Sheet): Answer {
  const say = sayIn(lang)
  const other = lang === 'hi' ? 'en' : 'hi'
  const left = deadlineOf(link) - world.clock.now()
  const rows: readonly (Html | null)[] = [
    link.description ? row(say('purpose'), html`${link.description}`) : null,
    link.reference_id ? row(say('reference'), html`${link.reference_id}`) : null,
    isOpen
      ? row(
          say('expires'),
          html`${indianTime(lang, deadlineOf(link))} <span class="left" data-left="${left}" data-text="${say('timeLeft')}"></span>`,
        )
      : null,
  ]
  const due = isOpen ? link.amount - link.amount_paid : link.amount
  return pageAnswer({
    ...page,
    lang,
    style: STYLE,
    body: html`<header class="band">${say('testBand')}</header>
      <main>
        <div class="sheet split">
          <section class="bill" aria-label="${say('details')}">
            <p class="label">${say('payTo')}</p>
            <p class="merchant">${world.config.merchantName}</p>
            <p class="amount">${rupees(due)}</p>
            <dl>${rows.filter((one) => one !== null)}</dl>
          </section>
          <section class="pane">${pane}</section>
        </div>
      </main>
      <footer>
        <span>${say('footer')}</span>
        <a href="${address}${address.includes('?') ? '&' : '?'}lang=${other}" lang="${other}" hreflang="${other}"
          >${say('otherLanguage')}</a
        >
      </footer>`,
  })
}

function row(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

function vpaField(say: Say, wrong: string | undefined): Html {
  const described = wrong === undefined ? 'vpa-hint' : 'vpa-wrong vpa-hint'
  return html`<input
      id="vpa"
      name="vpa"
      type="text"
      inputmode="email"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      list="vpas"
      value="${wrong ?? VPA_SUCCESS}"
      aria-describedby="${described}"
      aria-invalid="${String(wrong !== undefined)}"
    />
    <datalist id="vpas">${VPAS.map((vpa) => html`<option value="${vpa}"></option>`)}</datalist>
    ${wrong === undefined ? null : html`<p class="wrong" id="vpa-wrong">${say('vpaInvalid')}</p>`}
    <p class="hint" id="vpa-hint">${say('vpaHint')}</p>`
}

function failureNotice(say: Say, failed: Payment, isLate: boolean): Html {
  const key = `failed_${failed.error?.reason ?? 'payment_declined'}` as TextKey
  return html`<div class="notice ${isLate ? 'wait' : ''}" role="alert">
    ${isLate ? null : html`<h2>${say('failedTitle')}</h2>`}
    <p>${say(key)} ${say(isLate ? 'failedLateAgain' : 'failedAgain')}</p>
  </div>`
}

type Sign = 'good' | 'bad' | 'wait'

function sign(mark: Sign): Html {
  const strokes: Record<Sign, Html> = {
    good: html`<path d="M15 27l8 8 15-17" />`,
    bad: html`<path d="M18 18l16 16M34 18L18 34" />`,
    wait: html`<path d="M26 14v13l8 6" />`,
  }
  return html`<svg
    class="sign ${mark}"
    viewBox="0 0 52 52"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    stroke-width="3.5"
    stroke-linecap="round"
    stroke-linejoin="round"
  >
    <circle cx="26" cy="26" r="23" />
    ${strokes[mark]}
  </svg>`
}

/** Counts the last day down on the sandbox's clock and reloads when the link's time is over. */
const COUNTDOWN = `
const out = document.querySelector('[data-left]');
const end = performance.now() + Number(out.dataset.left) * 1000;
const two = (n) => String(n).padStart(2, '0');
const tick = () => {
  const s = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  if (s === 0) return setTimeout(() => location.reload(), 1500);
  if (s < 86400) {
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    out.textContent = out.dataset.text.replace('{time}', (h ? h + ':' + two(m) : m) + ':' + two(s % 60));
  }
  setTimeout(tick, 500);
};
tick();`
