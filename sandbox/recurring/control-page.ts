import { button, rowOf, take } from '../control-buttons.ts'
import type { SandboxContext } from '../context.ts'
import { indianTime, rupees } from '../hosted-texts.ts'
import { html, type Html } from '../html.ts'
import type { Registration, Token } from './entities.ts'

const itemsShown = 20

/** The part of the control page about recurring payments. */
export function recurringPart({ store, publicUrl }: SandboxContext): Html {
  const debit = (label: string, body: object): Html => button(label, '/__sandbox/debits/next', body)
  const notice = (label: string, outcome: string): Html => button(label, '/__sandbox/notifications/next', { outcome })
  const open = [...take(store.newest('registration'), itemsShown)].filter(({ status }) => status === 'issued')
  const tokens = [...take(store.newest('token'), itemsShown)].filter(({ status }) => status !== 'rejected' && status !== 'cancelled')
  return html`<h2>Autopay</h2>
    ${rowOf('Next debit', [
      debit('Too little money', { outcome: 'failure', reason: 'insufficient_funds' }),
      debit('Technical failure', { outcome: 'failure', reason: 'bank_technical_error' }),
      debit('Fails, then succeeds', { outcome: 'late_success' }),
      debit('Succeeds, then is returned', { outcome: 'success_then_return' }),
    ])}
    ${rowOf('Next notice', [notice('Fails', 'failed'), notice('Comes late', 'late')])}
    ${open.map((registration) => registrationRow(registration, publicUrl))} ${tokens.map(tokenRow)}`
}

function registrationRow({ id, receipt, slug, terms, created_at }: Registration, publicUrl: string): Html {
  return html`<p class="row">
    <span>
      ${id} · ${receipt || 'no receipt'} · ${terms.method} up to ${rupees(terms.max_amount)} · made ${indianTime('en', created_at)} ·
      <a href="${publicUrl}/i/${slug}">open its page</a>
    </span>
    ${button('Approve', `/__sandbox/registrations/${id}/approve`, {})} ${button('Decline', `/__sandbox/registrations/${id}/decline`, {})}
  </p>`
}

function tokenRow({ id, status, terms }: Token): Html {
  const action = (label: string, name: string): Html => button(label, `/__sandbox/mandates/${id}/${name}`, {})
  const isUpi = terms.method === 'upi'
  return html`<p class="row">
    <span>${id} · ${terms.method} up to ${rupees(terms.max_amount)} · <b>${status}</b></span>
    ${status === 'initiated' ? html`${action('Bank confirms', 'confirm')} ${action('Bank rejects', 'reject')}` : null}
    ${status === 'confirmed' && isUpi ? action('Pause in the app', 'pause') : null}
    ${status === 'paused' ? action('Resume in the app', 'resume') : null}
    ${action(isUpi ? 'Cancel in the app' : 'Cancel at the bank', 'cancel')}
  </p>`
}
