/** The style sheet of the sandbox's pages: no outside font, picture or script. */
export const hostedStyle = `
:root { color-scheme: light; --paper: #F2F5EF; --line: #D3DBD0; --ink: #14262A; --soft: #4A5C5E;
  --spine: #0A3A44; --spine-soft: #BFD6D8; --brand: #00606F; --brand-deep: #004A56;
  --good: #1B6B3A; --bad: #A3261C; --bad-paper: #FCEFEC; --wait: #7A5200; --wait-paper: #FFF6E2; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  min-height: 100vh; display: flex; flex-direction: column; }
.band { margin: 0; padding: 8px 16px; background: #FFD75E; color: #3B2A00; text-align: center;
  font-weight: 600; font-size: 14px; letter-spacing: .01em; }
main { width: 100%; max-width: 860px; margin: auto; padding: 16px; }
.sheet { background: #fff; border: 1px solid var(--line); border-radius: 10px; overflow: clip; }
.bill { background: var(--spine); color: #fff; padding: 20px; }
.bill .label { margin: 0; color: var(--spine-soft); font-size: 14px; display: flex; justify-content: space-between; align-items: baseline; }
.bill a { color: #fff; padding: 10px 0 10px 20px; margin: -10px 0; }
.merchant { margin: 0; font-size: 18px; font-weight: 600; overflow-wrap: anywhere; }
.amount { margin: 12px 0 0; font-size: 34px; line-height: 1.2; font-weight: 700;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
dl { margin: 16px 0 0; display: grid; gap: 10px; font-size: 15px; }
dt { font-size: 13px; color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.bill dt { color: var(--spine-soft); }
.left { display: block; color: var(--spine-soft); font-size: 14px; font-variant-numeric: tabular-nums; }
.pane { padding: 20px; }
h1 { margin: 0; font-size: 22px; line-height: 1.3; }
.lead { margin: 8px 0 0; }
form { margin: 16px 0 0; display: grid; gap: 12px; }
label { font-weight: 600; display: block; }
input, select { width: 100%; min-height: 48px; margin-top: 6px; padding: 10px 12px; font: inherit;
  color: inherit; background: #fff; border: 1px solid #73837F; border-radius: 8px; }
[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: 8px; font-weight: 600; }
.methods { display: grid; }
.method { display: grid; grid-template-columns: auto 1fr; align-items: center; column-gap: 12px; position: relative;
  padding: 12px 14px; border: 1px solid var(--line); border-top-width: 0; }
.method:first-of-type { border-top-width: 1px; border-radius: 10px 10px 0 0; }
.method:last-of-type { border-radius: 0 0 10px 10px; }
.method > input { grid-row: 1 / span 2; width: 22px; height: 22px; min-height: 0; margin: 0; position: relative; z-index: 1; accent-color: var(--brand); }
.method > label { cursor: pointer; } .method > label::after { content: ''; position: absolute; inset: 0; }
.method > .hint { margin: 0; }
.method:has(> :checked) { background: #F6F9F6; }
.method:has(> :checked) > label::after { inset: 0 0 auto; height: 64px; }
.panel { display: none; grid-column: 1 / -1; gap: 14px; padding: 14px 0 4px; position: relative; min-width: 0; }
.method:has(> :checked) > .panel { display: grid; }
.panel dl { margin: 0; padding: 0; border: 0; } .panel p { margin: 0; } .panel .hint, .panel .wrong { margin-top: 6px; }
.pair { display: grid; gap: 14px; grid-template-columns: 1fr 1fr; align-items: start; }
.network:empty { display: none; }
.network { display: block; margin-top: -8px; font-size: 14px; font-weight: 600; color: var(--brand); }
.apps ul { list-style: none; margin: 8px 0 0; padding: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }
.apps p { font-weight: 600; }
.qr { display: none; margin: 0; } .qr .code { display: block; width: 200px; height: 200px; border: 1px solid var(--line); border-radius: 8px; }
.qr summary { padding: 4px 0 10px; }
.contact .pair { margin: 4px 0 0; grid-template-columns: 1fr; }
.pay { position: sticky; bottom: 0; z-index: 2; margin: 0 -20px; padding: 12px 20px; background: #fff; }
html { scroll-padding-bottom: 96px; }
form:has(#method-bank_transfer:checked) > .pay { display: none; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.pane a { color: var(--brand); } .pane a.main { color: #fff; }
.test { border-style: dashed; }
.hint { margin: 6px 0 0; font-size: 14px; color: var(--soft); }
.wrong { margin: 6px 0 0; font-size: 14px; color: var(--bad); font-weight: 600; }
button, .button { display: inline-flex; align-items: center; justify-content: center; width: 100%;
  min-height: 48px; padding: 10px 16px; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; border-radius: 8px; border: 1px solid var(--brand); cursor: pointer;
  background: #fff; color: var(--brand); }
button:hover, .button:hover { background: #E6F0F0; }
.main { background: var(--brand); color: #fff; }
.main:hover { background: var(--brand-deep); }
:focus-visible { outline: 3px solid #E0A100; outline-offset: 2px; }
details { margin: 0; } summary { cursor: pointer; padding: 10px 0; color: var(--brand);
  font-weight: 600; }
details .hint { margin: 4px 0 12px; }
.notice { margin: 0 0 20px; padding: 12px 14px; border-radius: 8px; border-left: 4px solid var(--bad);
  background: var(--bad-paper); }
.notice.wait { border-color: var(--wait); background: var(--wait-paper); }
.notice h2 { margin: 0; font-size: 17px; } .notice p { margin: 4px 0 0; }
.sign { width: 52px; height: 52px; margin-bottom: 12px; display: block; }
.sign.good { color: var(--good); } .sign.bad { color: var(--bad); } .sign.wait { color: var(--wait); }
.pane dl { padding-top: 16px; border-top: 1px solid var(--line); }
.return { margin-top: 20px; display: grid; gap: 10px; } .return p { margin: 0; color: var(--soft); }
footer { padding: 12px 16px 20px; display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center;
  justify-content: center; font-size: 14px; color: var(--soft); text-align: center; }
footer a { color: var(--brand); padding: 10px 6px; }
@media (min-width: 720px) {
  .apps { display: none; } .qr { display: block; }
  .contact .pair { grid-template-columns: 1fr 1fr; }
  .sheet.split { display: grid; grid-template-columns: 5fr 7fr; }
  .bill, .pane { padding: 32px; } .pay { margin: 0 -32px; padding: 12px 32px; }
  .amount { font-size: 40px; }
}
`
