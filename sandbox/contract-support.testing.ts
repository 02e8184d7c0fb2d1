import Razorpay from 'razorpay'
import { expect } from 'vitest'
import type { RealKeys } from './contract-run.ts'

/** What the tests of the contract have in common. */

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }
export type Provider = {
  readonly client: Razorpay
  /** A call below `/v1`, with the right key unless a header says otherwise. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** A reference id that was never used. */
  reference(): string
}
export type Case = readonly [title: string, run: (provider: Provider) => Promise<void>]

export function providerAt(url: string, { keyId, keySecret }: RealKeys): Provider {
  const right = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
  let references = 0
  return {
    client: clientAt(url, keyId, keySecret),
    async call(method, path, body, headers = {}) {
      const answer = await fetch(`${url}/v1${path}`, {
        method,
        headers: { authorization: right, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    reference: () => `contract-${Date.now().toString(36)}-${process.pid}-${++references}`,
  }
}

/** The official client has no setting for its host. */
function clientAt(url: string, key_id: string, key_secret: string): Razorpay {
  const client = new Razorpay({ key_id, key_secret })
  const { rq } = client.api as unknown as { rq: { defaults: { baseURL: string; timeout: number } } }
  expect(rq.defaults.baseURL).toBe('https://api.razorpay.com')
  rq.defaults.baseURL = url
  rq.defaults.timeout = 20_000
  return client
}

export const refusal = (statusCode: number, description: string): object => ({
  statusCode,
  error: expect.objectContaining({ code: 'BAD_REQUEST_ERROR', description }),
})
export const refused = (description: string): object => ({ status: 400, body: { error: { code: 'BAD_REQUEST_ERROR', description } } })
