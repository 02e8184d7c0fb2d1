import type { Link } from './entities.ts'
import { hostedStyle } from './hosted-style.ts'
import { indianTime, rupees, textsIn, type Lang, type TextKey } from './hosted-texts.ts'
import { html, pageAnswer, type Html, type Page } from './html.ts'
import type { Answer } from './http.ts'
import { deadlineOf } from './link-state.ts'
import type { SandboxContext } from './context.ts'

/** What every view of a link needs. */
export type View = {
  readonly context: SandboxContext
  readonly link: Link
  readonly lang: Lang
  /** Path and query that show this view again, without the language. */
  readonly address: string
}

type Sheet = {
  readonly status: number
  readonly title: string
  readonly pane: Html
  /** Whether the link still takes money: then what is due and until when is shown. */
  readonly isOpen?: boolean
  readonly script?: string
  readonly refresh?: Page['refresh']
}

/** A page about a link: the bill on one side, the action on the other. */
export function sheet({ context, link, lang, address }: View, { isOpen = false, ...page }: Sheet): Answer {
  const text = textsIn(lang)
  const left = deadlineOf(link) - context.clock.now()
  const isPartPaid = isOpen && link.amount_paid > 0
  const rows: readonly (Html | null)[] = [
    link.description ? row(text('purpose'), html`${link.description}`) : null,
    link.reference_id ? row(text('reference'), html`${link.reference_id}`) : null,
    isPartPaid ? row(text('alreadyPaid'), html`${rupees(link.amount_paid)}`) : null,
    isOpen
      ? row(
          text('expires'),
          html`${indianTime(lang, deadlineOf(link))} <span class="left" data-left="${left}" data-text="${text('timeLeft')}"></span>`,
        )
      : null,
  ]
  const due = isOpen ? link.amount - link.amount_paid : link.amount
  const bill: Bill = { name: 'details', label: 'payTo', amount: rupees(due), rows: rows.filter((one) => one !== null) }
  return twoParts({ context, lang, address }, bill, page)
}

/** The side of the page that says who asks for what. */
type Bill = { readonly name: TextKey; readonly label: TextKey; readonly amount: string; readonly rows: readonly Html[] }

/** A page of two parts: the bill, and what the customer can do. */
export function twoParts(
  { context, lang, address }: Omit<View, 'link'>,
  { name, label, amount, rows }: Bill,
  { pane, ...page }: Omit<Sheet, 'isOpen'>,
): Answer {
  const text = textsIn(lang)
  return pageAnswer({
    ...page,
    lang,
    style: hostedStyle,
    body: html`<header class="band">${text('testBand')}</header>
      <main>
        <div class="sheet split">
          <section class="bill" aria-label="${text(name)}">
            <p class="label">${text(label)} ${languageLink(lang, address)}</p>
            <p class="merchant">${context.config.merchantName}</p>
            <p class="amount">${amount}</p>
            <dl>${rows}</dl>
          </section>
          <section class="pane">${pane}</section>
        </div>
      </main>
      <footer><span>${text('footer')}</span></footer>`,
  })
}

function languageLink(lang: Lang, address: string): Html {
  const other = lang === 'hi' ? 'en' : 'hi'
  const url = `${address}${address.includes('?') ? '&' : '?'}lang=${other}`
  return html`<a href="${url}" lang="${other}" hreflang="${other}">${textsIn(lang)('otherLanguage')}</a>`
}

/** The page of an address that belongs to no link. */
export function notFoundPage(lang: Lang): Answer {
  const text = textsIn(lang)
  return pageAnswer({
    status: 404,
    lang,
    title: text('notFoundTitle'),
    style: hostedStyle,
    body: html`<header class="band">${text('testBand')}</header>
      <main>
        <div class="sheet">
          <section class="pane">
            ${sign('bad')}
            <h1>${text('notFoundTitle')}</h1>
            <p class="lead">${text('notFoundLine')}</p>
          </section>
        </div>
      </main>
      <footer><span>${text('footer')}</span></footer>`,
  })
}

/** A name and its value in a list of details. */
export function row(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

export type Sign = 'good' | 'bad' | 'wait'

export function sign(mark: Sign): Html {
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
