import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Call } from './call.ts'
import { calls } from './calls.ts'
import type { Visit } from './visit.ts'

/**
 * `npm run conformance -- --base URL`: an independent client that imports none of our code. It
 * makes the calls of §7 of the specification by fetch and checks every answer by §3. It pays one
 * instalment of the demo borrower, requests a tranche and uploads a document. For another portal
 * than that of `npm start` in this folder, `--outbox` and `--sandbox` must be given too.
 */

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'http://localhost:3000' },
    outbox: { type: 'string', default: './var/outbox.ndjson' },
    sandbox: { type: 'string', default: 'http://localhost:4010' },
    phone: { type: 'string', default: '9000000001' },
    'staff-phone': { type: 'string', default: '9000000009' },
    'floating-phone': { type: 'string', default: '9000000014' },
    'maker-phone': { type: 'string', default: '9000000012' },
    'checker-phone': { type: 'string', default: '9000000013' },
  },
})

const visit: Visit = {
  origin: new URL(values.base).origin,
  sandbox: values.sandbox.replace(/\/$/, ''),
  outbox: values.outbox,
  phone: values.phone,
  staffPhone: values['staff-phone'],
  floatingPhone: values['floating-phone'],
  makerPhone: values['maker-phone'],
  checkerPhone: values['checker-phone'],
  token: null,
  kept: new Map(),
}

/** A minute. */
const awaitedTriesMax = 240
const awaitedPauseMs = 250

let failed = 0
for (const call of calls) {
  const problems = await problemsOf(call)
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'}  ${call.method.padEnd(5)} ${call.path}${call.when ? `  (${call.when})` : ''}`)
  for (const problem of problems) console.log(`        ${problem}`)
  if (problems.length > 0) failed += 1
}
console.log(`\n${calls.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/**
 * The faults of a call's answer. A call that cannot be made after an earlier failure is a fault
 * too.
 */
async function problemsOf(call: Call): Promise<string[]> {
  try {
    await call.before?.(visit)
    for (let tries = 1; ; tries++) {
      const { problems, body } = await ask(call)
      if (problems.length === 0) await call.keep?.(body, visit)
      if (problems.length === 0 || !call.isAwaited || tries === awaitedTriesMax) return problems
      await delay(awaitedPauseMs)
    }
  } catch (error) {
    return [error instanceof Error ? `${error.message}${error.cause ? `: ${String(error.cause)}` : ''}` : String(error)]
  }
}

async function ask(call: Call): Promise<{ problems: string[]; body: Record<string, unknown> }> {
  const query = new URLSearchParams(call.query?.(visit)).toString()
  const sent = call.body?.(visit)
  const response = await fetch(`${visit.origin}/api/v1${call.at?.(visit) ?? call.path}${query && `?${query}`}`, {
    method: call.method,
    headers: {
      ...(sent !== undefined && !(sent instanceof FormData) && { 'content-type': 'application/json' }),
      ...(!call.isOpen && visit.token !== null && { authorization: `Bearer ${visit.token}` }),
    },
    ...(sent !== undefined && { body: sent instanceof FormData ? sent : JSON.stringify(sent) }),
  })
  const wanted = typeof call.status === 'function' ? call.status(visit) : (call.status ?? 200)
  if (call.isFile && response.ok) {
    const file = { content_type: response.headers.get('content-type'), size: (await response.arrayBuffer()).byteLength }
    return { problems: call.answer(file, ''), body: file }
  }
  const answered = await response.text()
  if (response.status !== wanted) return { problems: [`answered ${response.status}, not ${wanted}: ${answered.slice(0, 300)}`], body: {} }
  const type = response.headers.get('content-type') ?? ''
  const wantedType = wanted < 400 ? 'application/json' : 'application/problem+json'
  if (!type.startsWith(wantedType)) return { problems: [`answered in ${type}, not ${wantedType}`], body: {} }
  const body = JSON.parse(answered) as Record<string, unknown>
  return { problems: [...call.answer(body, ''), ...(call.answerNow?.(visit)(body, '') ?? [])], body }
}
