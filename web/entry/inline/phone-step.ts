import { apiPrefix } from '#contract/endpoint.ts'
import { earlyAnswersName, earlyPaths, nameRequest, type EarlyAnswers } from '#web/api/early-answers.ts'
import { isPhoneValid } from '#web/features/auth/login-state.ts'
import { extractPhone } from '#web/ui/digits.ts'
import { sendEarly } from './send-early.ts'

/**
 * Does the phone step while the login's code is on its way, as React does afterwards: names what is
 * wrong with a number, or requests its OTP. `data-submitted` is the number, as far as it was typed;
 * it tells login.tsx that the page shows either.
 */
export function answerBeforeCode(root: HTMLElement): void {
  const [message, sending] = takeAnswers(root)
  const input = root.querySelector('input')!
  const messagePlace = root.querySelector(`#${input.id}-error`)!
  const field = messagePlace.parentElement!

  document.addEventListener('submit', (event) => {
    // React has answered.
    if (event.defaultPrevented) return
    event.preventDefault()
    if (input.readOnly) return
    const phone = extractPhone(input.value)
    root.dataset['submitted'] = phone
    if (isPhoneValid(phone)) {
      requestCode(phone)
      input.readOnly = true
      becomeLike(root.querySelector('[type=submit]')!, sending)
    } else {
      field.dataset['invalid'] = ''
      input.setAttribute('aria-invalid', 'true')
      messagePlace.append(message)
      input.focus()
    }
  })
  input.addEventListener('input', () => {
    const { submitted } = root.dataset
    // As in React, a non-digit changes neither the number nor its error.
    if (submitted === undefined || input.readOnly || extractPhone(input.value) === submitted) return
    delete root.dataset['submitted']
    delete field.dataset['invalid']
    input.removeAttribute('aria-invalid')
    message.remove()
  })
}

/** The OTP's lifetime: another one must not be requested while the answer can be used. */
const codeMs = 5 * 60_000

/** Requests an OTP as login-calls.ts does, which then finds this answer. */
function requestCode(phone: string): void {
  const url = apiPrefix + earlyPaths.login
  const body = JSON.stringify({ phone: `+91${phone}` })
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const answers = new Map([[nameRequest('POST', url, body), sendEarly(url, { method: 'POST', headers, body })]])
  const early: EarlyAnswers = { token: null, freshUntilMs: Date.now() + codeMs, answers }
  Reflect.set(window, earlyAnswersName, early)
}

/** Takes what is drawn after the page (prerender.tsx): React must not find it there. */
function takeAnswers(root: HTMLElement): readonly [Element, Element] {
  const template = root.querySelector<HTMLTemplateElement>('template')!
  template.remove()
  const [message, sending] = template.content.children
  return [message!, sending!]
}

/** The element stays, with its focus. */
function becomeLike(element: Element, other: Element): void {
  for (const { name, value } of other.attributes) element.setAttribute(name, value)
  element.replaceChildren(...other.childNodes)
}
