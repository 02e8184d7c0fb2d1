import type { Link } from './entities.ts'
import { STYLE } from './hosted-style.ts'
import { indianTime, rupees } from './hosted-texts.ts'
import { html, pageAnswer, type Html } from './html.ts'
import type { Answer } from './http.ts'
import { isOpen } from './link-state.ts'
import type { World } from './world.ts'

/** How many links the page lists; `GET /__sandbox/state` has them all. */
const LINKS_SHOWN = 50

/** `GET /__sandbox`: the newest links with a button for everything that can happen to them. */
export function controlPage(world: World): Answer {
  const { store, clock, faults } = world
  const links = [...firstOf(store.newest('link'), LINKS_SHOWN)]
  const pending = world.deliverer.waiting
  return pageAnswer({
    status: 200,
    lang: 'en',
    title: 'Payment sandbox',
    style: STYLE + PAGE_STYLE,
    script: SCRIPT,
    body: html`<header class="band">TEST MODE: no real money moves</header>
      <main>
        <h1>Payment sandbox</h1>
        <p>
          Its time: <b>${indianTime('en', clock.now())}</b>
          (${Math.round(clock.offsetMs / 1000)} s from the system clock). Webhooks waiting:
          <b>${pending}</b>. Faults ordered: <b>${faults.list().length}</b>.
          <a href="/__sandbox/state">Everything as JSON</a>
        </p>
        <p class="row">
          ${button('+15 minutes', '/__sandbox/time', { advance_seconds: 900 })}
          ${button('+1 day', '/__sandbox/time', { advance_seconds: 86_400 })}
          ${button('+30 days', '/__sandbox/time', { advance_seconds: 2_592_000 })}
          ${button('API down for one call', '/__sandbox/faults', { call: '*', kind: 'status', status: 503 })}
          ${button('Drop the next 4 webhooks', '/__sandbox/faults', { call: 'webhook', kind: 'drop', times: 4 })}
          ${button('Clear faults', '/__sandbox/faults', { clear: true })}
          ${button('Reset everything', '/__sandbox/reset', {}, 'Forget all links and payments?')}
        </p>
        <p id="said" role="status"></p>
        <h2>Payment links</h2>
        ${links.length === 0 ? html`<p>None yet.</p>` : null} ${links.map((link) => linkCard(world, link))}
      </main>`,
  })
}

function* firstOf<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    if (left-- === 0) return
    yield item
  }
}

function linkCard(world: World, link: Link): Html {
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
      <a href="${world.publicUrl}/i/${link.slug}">open its page</a>
    </p>
    <p class="row">
      ${isOpen(link) ? whileOpen : null} ${pay('Late success', 'upi', 'late_success')}
      ${button('Replay its webhooks', '/__sandbox/webhooks/replay', { payment_link_id: link.id })}
    </p>
  </article>`
}

function button(label: string, url: string, body: object, sure = ''): Html {
  return html`<button data-url="${url}" data-body="${JSON.stringify(body)}" data-sure="${sure}">${label}</button>`
}

const PAGE_STYLE = `
main { margin: 0 auto; max-width: 1040px; } h1 { margin-top: 8px; } h3 { margin: 0; font-size: 17px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 0; }
.row button { width: auto; min-height: 40px; padding: 6px 12px; font-size: 15px; }
article.pane { padding: 16px; margin-top: 12px; } main a { color: var(--brand); }
#said { min-height: 1.5em; font-weight: 600; overflow-wrap: anywhere; }
`

const SCRIPT = `
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-url]');
  if (!button || (button.dataset.sure && !confirm(button.dataset.sure))) return;
  const said = document.getElementById('said');
  said.textContent = '…';
  try {
    const answer = await fetch(button.dataset.url, { method: 'POST', body: button.dataset.body,
      headers: { 'content-type': 'application/json' } });
    if (answer.ok) return location.reload();
    said.textContent = (await answer.json()).error.description;
  } catch (error) { said.textContent = String(error); }
});`
