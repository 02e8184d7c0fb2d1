import * as http from 'node:http'
import * as https from 'node:https'
import type { Attempt, WebhookEvent } from './entities.ts'
import type { Fault } from './faults.ts'
import { hmacHex } from './hmac.ts'

type Outcome = Pick<Attempt, 'took_ms' | 'status' | 'error'>

/** Sends events, each on a new connection, as a provider with many machines does. */
export class WebhookSender {
  readonly #timeoutMs: number
  readonly #underWay = new Set<http.ClientRequest>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Never rejects: the outcome contains the error. */
  send(event: WebhookEvent, address: string, secret: string, fault: Fault | undefined): Promise<Outcome> {
    const url = new URL(address)
    const startedMs = performance.now()
    const body = fault?.kind === 'truncate' ? event.body.slice(0, Math.floor(event.body.length / 2)) : event.body
    return new Promise((resolve) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'Razorpay-Webhook/v1',
          'x-razorpay-signature': signatureOf(event.body, secret, fault),
          'x-razorpay-event-id': event.id,
        },
      })
      const patience = setTimeout(() => request.destroy(new Error(`no answer within ${this.#timeoutMs} ms`)), this.#timeoutMs)
      const finish = (status: number | null, error: string | null): void => {
        clearTimeout(patience)
        this.#underWay.delete(request)
        resolve({ took_ms: Math.round(performance.now() - startedMs), status, error })
      }
      request.once('response', (response) => {
        response.resume()
        response.once('error', () => {})
        // A redirect is not followed: the provider counts it as a failure.
        finish(response.statusCode ?? null, null)
      })
      request.on('error', (error) => finish(null, error.message))
      this.#underWay.add(request)
      request.end(body)
    })
  }

  /** Aborts requests in progress. */
  close(): void {
    for (const request of this.#underWay) request.destroy(new Error('the sandbox stops'))
  }
}

function signatureOf(body: string, secret: string, fault: Fault | undefined): string {
  const signature = hmacHex(fault?.kind === 'wrong_secret' ? `not-${secret}` : secret, body)
  if (fault?.kind !== 'corrupt_signature') return signature
  return (signature.startsWith('0') ? '1' : '0') + signature.slice(1)
}
