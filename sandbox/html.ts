import { randomBytes } from 'node:crypto'
import type { Answer } from './http.ts'

/** A piece of HTML that is safe to put into a page. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | null | readonly Html[]

/** Template tag: escapes texts, keeps HTML, drops null. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const written = pieces.map((piece) => {
    if (piece === null) return ''
    if (piece instanceof Html) return piece.text
    if (typeof piece === 'object') return piece.map(({ text }) => text).join('')
    return escape(String(piece))
  })
  return new Html(String.raw({ raw: strings }, ...written))
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)
}

export type Page = {
  readonly status: number
  readonly lang: string
  readonly title: string
  readonly style: string
  readonly body: Html
  readonly script?: string
  /** Seconds until the page goes on to an address; works without script too. */
  readonly refresh?: { readonly seconds: number; readonly url: string } | undefined
}

/**
 * With scripts the page continues by a timer, which the reader can stop; a refresh cannot be
 * stopped.
 */
const goOnScript = `
const { url, ms } = document.currentScript.dataset;
setTimeout(() => location.assign(url), Number(ms));`

/** A page whose content security policy allows its own style and script only. */
export function pageAnswer(page: Page): Answer {
  const nonce = randomBytes(16).toString('base64')
  const refresh = page.refresh
    ? html`<noscript><meta http-equiv="refresh" content="${page.refresh.seconds};url=${page.refresh.url}" /></noscript>
        <script nonce="${nonce}" data-url="${page.refresh.url}" data-ms="${page.refresh.seconds * 1000}">
          ${new Html(goOnScript)}
        </script>`
    : null
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  const document = html`<!doctype html>
    <html lang="${page.lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        ${refresh}
        <title>${page.title}</title>
        <style nonce="${nonce}">
          ${new Html(page.style)}
        </style>
      </head>
      <body>
        ${page.body}
        ${
          page.script
            ? html`<script nonce="${nonce}">
                ${new Html(page.script)}
              </script>`
            : null
        }
      </body>
    </html>`
  return {
    kind: 'answer',
    status: page.status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'same-origin',
    },
    body: document.text,
  }
}
