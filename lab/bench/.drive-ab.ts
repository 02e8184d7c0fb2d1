import { readFileSync } from 'node:fs'
import { newContext, startPhone, visitSlowly, median } from './slow-phone.ts'
const phone = await startPhone()
const sides = []
for (const f of ['/tmp/ab-a.json', '/tmp/ab-b.json']) {
  const { url, token } = JSON.parse(readFileSync(f, 'utf8'))
  const context = await newContext(phone)
  const page = await context.newPage()
  await page.goto(url + '/favicon.svg')
  await page.evaluate((t) => { localStorage.setItem('token', t); localStorage.setItem('tokenReceivedAt', String(Date.now())) }, token)
  await page.goto(url + '/active-loans', { waitUntil: 'networkidle' })
  await page.close()
  sides.push({ url: url + '/active-loans', context, lcp: [] as number[], tbt: [] as number[] })
}
const n = Number(process.argv[2] ?? 20)
for (let i = 0; i < n + 2; i++) for (const s of i % 2 ? sides : sides.toReversed()) {
  const { visit, page } = await visitSlowly(s.context, s.url)
  await page.close()
  if (i > 1) { s.lcp.push(visit.lcpMs); s.tbt.push(visit.blockedMs) }
}
const ratios = sides[0]!.lcp.map((a, i) => a / sides[1]!.lcp[i]!)
console.log('A', median(sides[0]!.lcp), 'B', median(sides[1]!.lcp), 'A/B', median(ratios).toFixed(3), 'tbt', median(sides[0]!.tbt).toFixed(0), median(sides[1]!.tbt).toFixed(0), 'mean', (sides[0]!.lcp.reduce((x, y) => x + y) / n).toFixed(0), (sides[1]!.lcp.reduce((x, y) => x + y) / n).toFixed(0))
await phone.close()
