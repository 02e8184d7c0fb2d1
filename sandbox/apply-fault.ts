import { setTimeout as sleep } from 'node:timers/promises'
import { errorAnswer } from './errors.ts'
import type { Fault } from './faults.ts'
import type { Answer, Reply } from './http.ts'

/**
 * Runs a call with its fault, if any. Handlers apply faults that change the meaning of the answer.
 */
export async function applyFault(fault: Fault | undefined, perform: () => Answer): Promise<Reply> {
  switch (fault?.kind) {
    case 'latency':
      await sleep(fault.latency_ms, undefined, { ref: false })
      return perform()
    case 'timeout_before':
      return { kind: 'hold' }
    case 'timeout_after':
      perform()
      return { kind: 'hold' }
    case 'status':
      return failureAnswer(fault.status)
    case 'status_after':
      perform()
      return failureAnswer(fault.status)
    case 'reset':
      return { kind: 'reset' }
    case 'reset_after':
      perform()
      return { kind: 'reset' }
    case 'malformed_json': {
      const answer = perform()
      return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) }
    }
    case 'wrong_amount': {
      const answer = perform()
      return { ...answer, body: withWrongAmount(answer.body, fault.amount_delta) }
    }
    default:
      return perform()
  }
}

/** The error answers of the provider and of the proxy before it. */
function failureAnswer(status: number): Answer {
  if (status === 429) {
    return errorAnswer(429, 'BAD_REQUEST_ERROR', 'Request failed. Please try after sometime.')
  }
  if (status === 502) {
    const body = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'
    return { kind: 'answer', status, headers: { 'content-type': 'text/html' }, body }
  }
  if (status === 503) {
    return { kind: 'answer', status, headers: { 'retry-after': '1' }, body: '' }
  }
  return errorAnswer(status, 'SERVER_ERROR', 'We are facing some trouble completing your request at the moment. Please try again shortly.')
}

function withWrongAmount(body: string, delta: number): string {
  return JSON.stringify(JSON.parse(body), (key, value: unknown) => (key === 'amount' && typeof value === 'number' ? value + delta : value))
}
