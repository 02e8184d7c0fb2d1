import { button, rowOf, take } from './control-buttons.ts'
import type { Link } from './entities.ts'
import { hostedStyle } from './hosted-style.ts'
import { indianTime, rupees } from './hosted-texts.ts'
import { html, pageAnswer, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { isOpen } from './link-state.ts'
import { recurringPart } from './recurring/control-page.ts'
import { balanceOf } from './refunds.ts'
import type { SandboxContext } from './context.ts'

/** How many links the page lists; `GET /__sandbox/state` has them all. */
const linksShown = 50

/** `GET /__sandbox`: the newest links with a button for each control call. */
export function controlPage(context: SandboxContext): Answer {
  const { store, clock, faults } = context
  const links = [...take(store.newest('link'), linksShown)]
  const pending = context.deliverer.waiting
  return pageAnswer({
    status: 200,
    lang: 'en',
    title: 'Payment sandbox',
    style: hostedStyle + pageStyle,
    script: pageScript,
    body: html`<header class="band">TEST MODE: no real money moves</header>
      <main>
        <h1>Payment sandbox</h1>
        <p>
          Sandbox time: <b>${indianTime('en', clock.now())}</b>
          (${Math.round(clock.offsetMs / 1000)} s from the system clock). Webhooks waiting:
          <b>${pending}</b>. Faults ordered: <b>${faults.list().length}</b>. Balance: <b>${rupees(balanceOf(context))}</b>.
          <a href="/__sandbox/state">Everything as JSON</a>
        </p>
        ${rowOf('Time', [
          button('+15 minutes', '/__sandbox/time', { advance_seconds: 900 }),
          button('+1 day', '/__sandbox/time', { advance_seconds: 86_400 }),
          button('+30 days', '/__sandbox/time', { advance_seconds: 2_592_000 }),
        ])}
        ${rowOf('The API', [
          button('API down for one call', '/__sandbox/faults', { call: '*', kind: 'status', status: 503 }),
          button('No answer to the next create', '/__sandbox/faults', { call: 'create', kind: 'timeout_after' }),
          button('Next refund fails later', '/__sandbox/faults', { call: 'refund', kind: 'refund_fails' }),
          button('No balance for the next refund', '/__sandbox/faults', { call: 'refund', kind: 'insufficient_balance' }),
        ])}
        ${rowOf('Webhooks', [
          button('Drop the next 4 webhooks', '/__sandbox/faults', { call: 'webhook', kind: 'drop', times: 4 }),
          button('Reverse the next 4', '/__sandbox/faults', { call: 'webhook', kind: 'reorder', times: 3 }),
          button('Send the next one three times', '/__sandbox/faults', { call: 'webhook', kind: 'duplicate', copies: 2 }),
          button('Replay what was dropped', '/__sandbox/webhooks/replay', { status: 'dropped' }),
        ])}
        ${rowOf('Everything', [
          button('Settle', '/__sandbox/settle', {}),
          button('Clear faults', '/__sandbox/faults', { clear: true }),
          button('Reset everything', '/__sandbox/reset', {}, 'Forget all links and payments?'),
        ])}
        <p id="message" role="status"></p>
        ${endpointsOf(context)} ${pendingRefundsOf(context)} ${recurringPart(context)}
        <h2>Payment links</h2>
        ${links.length === 0 ? html`<p>None yet.</p>` : null} ${links.map((link) => linkCard(context, link))}
      </main>`,
  })
}

/** The webhook endpoints with status and events, each with a button that changes its status. */
function endpointsOf({ store }: SandboxContext): Html {
  const endpoints = store.all('endpoint').filter(({ status }) => status !== 'deleted')
  return html`<h2>Webhook endpoints</h2>
    ${endpoints.map(
      ({ id, url, status, events }) =>
        html`<p class="row">
          <span>${url} · <b>${status}</b> · ${events === null ? 'all events' : events.join(', ')}</span>
          ${
            status === 'active'
              ? button('Disable', `/__sandbox/webhooks/endpoints/${id}/disable`, {})
              : button('Enable', `/__sandbox/webhooks/endpoints/${id}/enable`, {})
          }
        </p>`,
    )}
    <p><a href="/__sandbox/webhooks/deliveries">The newest deliveries as JSON</a></p>`
}

function pendingRefundsOf({ store }: SandboxContext): Html | null {
  const pending = [...take(store.newest('refund'), linksShown)].filter(({ status }) => status === 'pending')
  if (pending.length === 0) return null
  return html`<h2>Pending refunds</h2>
    ${pending.map(
      ({ id, amount, payment_id }) =>
        html`<p class="row">
          <span>${rupees(amount)} of ${payment_id}</span>
          ${button('Process now', `/__sandbox/refunds/${id}/process`, {})} ${button('Fail now', `/__sandbox/refunds/${id}/fail`, {})}
        </p>`,
    )}`
}

function linkCard(context: SandboxContext, link: Link): Html {
  const base = `/__sandbox/links/${link.id}`
  const pay = (label: string, method: string, outcome: string): Html => button(label, `${base}/pay`, { method, outcome })
  const whileOpen = [
    pay('Pay by UPI', 'upi', 'success'),
    pay('Pay by card', 'card', 'success'),
    pay('Pay by netbanking', 'netbanking', 'success'),
    pay('Fail', 'upi', 'failure'),
    button('Expire', `${base}/expire`, {}),
  ]
  return html`<article class="sheet pane">
    <h3>${rupees(link.amount)} · ${link.status}</h3>
    <p class="hint">
      ${link.id} · ${link.reference_id || 'no reference'} · ${link.description || 'no description'} · made
      ${indianTime('en', link.created_at)} ${link.expire_by ? `· pay by ${indianTime('en', link.expire_by)}` : ''} ·
      <a href="${context.publicUrl}/i/${link.slug}">open its page</a>
    </p>
    <p class="row">
      ${isOpen(link) ? whileOpen : null} ${pay('Late success', 'upi', 'late_success')}
      ${button('Send a transfer', `${base}/pay`, { method: 'bank_transfer' })}
      ${button('Pay again and keep it', `${base}/pay`, { second_capture: 'keep' })}
      ${button('Replay its webhooks', '/__sandbox/webhooks/replay', { payment_link_id: link.id })}
    </p>
  </article>`
}

const pageStyle = `
main { margin: 0 auto; max-width: 1040px; } h2 { margin: 24px 0 0; font-size: 19px; }
.row > b:first-child { flex: 0 0 90px; } .row > span { overflow-wrap: anywhere; } h1 { margin-top: 8px; } h3 { margin: 0; font-size: 17px; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 8px 0 0; }
.row button { width: auto; min-height: 40px; padding: 6px 12px; font-size: 15px; }
article.pane { padding: 16px; margin-top: 12px; } main a { color: var(--brand); }
#message { min-height: 1.5em; font-weight: 600; overflow-wrap: anywhere; }
`

const pageScript = `
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-url]');
  if (!button || (button.dataset.question && !confirm(button.dataset.question))) return;
  const message = document.getElementById('message');
  message.textContent = '…';
  try {
    const answer = await fetch(button.dataset.url, { method: 'POST', body: button.dataset.body,
      headers: { 'content-type': 'application/json' } });
    if (answer.ok) return location.reload();
    message.textContent = (await answer.json()).error.description;
  } catch (error) { message.textContent = String(error); }
});`
