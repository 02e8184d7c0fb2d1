import { html, type Html } from './html.ts'

/** What both parts of the control page consist of. */

export function rowOf(name: string, buttons: readonly Html[]): Html {
  return html`<div class="row" role="group" aria-label="${name}"><b>${name}</b>${buttons}</div>`
}

export function button(label: string, url: string, body: object, question = ''): Html {
  return html`<button data-url="${url}" data-body="${JSON.stringify(body)}" data-question="${question}">${label}</button>`
}

export function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    if (left-- === 0) return
    yield item
  }
}
