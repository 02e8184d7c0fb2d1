/** The scripts of the hosted page. Everything on it works without them. */

/** Counts the last day down on the sandbox's clock and reloads when the link's time is over. */
export const countdownScript = `
{
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
  tick();
}`

/**
 * Groups the digits of a card as they are typed and names its network; the server finds it by the
 * same beginnings.
 */
export const cardNetworkScript = `
{
  const input = document.getElementById('card_number');
  const out = document.querySelector('[data-networks]');
  const networks = [['American Express', /^3[47]/], ['Diners Club', /^3(0[0-5]|[689])/], ['RuPay', /^(508[5-9]|60(?!11)|652|81|82)/],
    ['MasterCard', /^(5[1-5]|2[2-7])/], ['Visa', /^4/]];
  if (input) input.addEventListener('input', () => {
    const digits = input.value.replace(/\\D/g, '');
    const network = networks.find(([, beginning]) => beginning.test(digits));
    out.textContent = network ? network[0] : '';
    if (input.selectionStart === input.value.length) input.value = digits.replace(/(\\d{4})(?=\\d)/g, '$1 ');
  });
}`

/** While the QR code is shown, asks whether somebody has paid by it, and then goes on. */
export const qrWatchScript = `
{
  const qr = document.querySelector('details.qr');
  let isWatching = false;
  const watch = async () => {
    if (!qr.open) { isWatching = false; return; }
    try {
      const { open, payment } = await (await fetch(qr.dataset.status)).json();
      if (!open) return location.assign(payment ? qr.dataset.done + '&payment=' + payment : location.href);
    } catch { /* Asked again below: whoever lost the connection still sees the page. */ }
    setTimeout(watch, 2000);
  };
  if (qr) qr.addEventListener('toggle', () => { if (qr.open && !isWatching) { isWatching = true; watch(); } });
}`

/** After a refused form the first field that was marked has the focus. */
export const firstWrongScript = `
{
  const wrong = document.querySelector('[aria-invalid=true]');
  if (wrong) wrong.focus();
}`
