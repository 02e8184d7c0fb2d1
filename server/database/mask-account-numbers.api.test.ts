import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { cloneDatabase, queryOnce } from '#testkit/test-database.ts'

/** Events that were stored before account numbers were masked. */

const migration = readFileSync(join(import.meta.dirname, 'migrations/0053_mask_account_numbers.sql'), 'utf8')
const cluster = inject('cluster')
let database: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  database = await cloneDatabase(cluster)
})
afterAll(() => database.drop())

const store = (eventId: string, body: Buffer): Promise<unknown> =>
  queryOnce(
    database.ownerUrl,
    `insert into webhook_inbox (provider, event_id, received_at, event_type, body, next_attempt_at)
     values ('razorpay', '${eventId}', now(), 'token.confirmed', '\\x${body.toString('hex')}', now())`,
  )
const readBodies = async (): Promise<Record<string, string>> => {
  const rows = await queryOnce(database.ownerUrl, `select event_id, encode(body, 'hex') as body from webhook_inbox`)
  return Object.fromEntries(rows.map(({ event_id, body }) => [event_id, Buffer.from(String(body), 'hex').toString('latin1')]))
}

it('masks the account numbers of stored events, and changes nothing else', async () => {
  const events = {
    text: [
      '{"bank":{"account_number":"112143112154","ifsc":"HDFC0000001"}}',
      '{"bank":{"account_number":"XXXX2154","ifsc":"HDFC0000001"}}',
    ],
    number: ['{"account_number" : 112143112154}', '{"account_number" : "XXXX2154"}'],
    two: [
      '{"a":{"account_number":"11112222"},"b":{"account_number":"33334444"},"amount":55556666}',
      '{"a":{"account_number":"XXXX2222"},"b":{"account_number":"XXXX4444"},"amount":55556666}',
    ],
    none: ['{"account_number":null,"other":{"account_number":""}}', '{"account_number":null,"other":{"account_number":""}}'],
    bytes: ['{"account_number":"11112222","name":"\u00ff\u00e0"}', '{"account_number":"XXXX2222","name":"\u00ff\u00e0"}'],
    zero: ['\u0000"account_number"', '\u0000"account_number"'],
    another: ['{"amount":112143112154}', '{"amount":112143112154}'],
  }
  for (const [id, [body = '']] of Object.entries(events)) await store(id, Buffer.from(body, 'latin1'))
  const masked = Object.fromEntries(Object.entries(events).map(([id, [, body = '']]) => [id, body]))
  await queryOnce(database.ownerUrl, migration)
  expect(await readBodies()).toEqual(masked)
  await queryOnce(database.ownerUrl, migration)
  expect(await readBodies()).toEqual(masked)
})
