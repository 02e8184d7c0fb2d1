import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { SmsOutcome, TextMessage } from './adapters/sms/sms.ts'
import type { Context } from './context.ts'
import { createJobHandlers } from './job-handlers.ts'
import type { JobData, Jobs } from './jobs/jobs.ts'

const now = new Date('2026-12-05T04:30:00Z')
const message = { to: '+919000000001', text: '123456 is your code', code: '123456', templateId: '1207161234567890123' }
const attempt = { isLast: false }
const job = (expiresInMs: number) => ({ ...message, tokenHash: 'AAAA', expiresAt: new Date(now.getTime() + expiresInMs).toISOString() })

function handlers(outcome: SmsOutcome, at = now) {
  const carried: TextMessage[] = []
  const logged: string[] = []
  const sms = {
    send: async (sent: TextMessage) => {
      carried.push(sent)
      return outcome
    },
  }
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) })
  // The handler uses nothing else of the context.
  const queued: { data: JobData['send-notice']; delayMs: number }[] = []
  const jobs: Jobs = {
    enqueue: async (_sql, _queue, data, options) => {
      queued.push({ data: data as JobData['send-notice'], delayMs: options?.delayMs ?? 0 })
    },
  }
  // Accepts the status of a code's message; code-status.api.test.ts reads it back.
  const sql = { updateTable: () => sql, set: () => sql, where: () => sql, execute: async () => [] }
  const database = { asSystem: (work: (transaction: typeof sql) => Promise<void>) => work(sql) }
  const context = { clock: { now: () => at }, log, database, jobs } as unknown as Context
  return { handlers: createJobHandlers(context, sms), carried, logged, queued }
}

describe('send-sms', () => {
  it('passes the message to the carrier', async () => {
    const { handlers: work, carried } = handlers('sent')
    await work['send-sms'](job(1), attempt)
    expect(carried).toEqual([message])
  })

  it('sends a message that an early version queued once, without a template', async () => {
    const { handlers: work, carried } = handlers('sent')
    const { templateId: _template, tokenHash: _hash, ...early } = job(1)
    await work['send-sms'](early, attempt)
    expect(carried).toEqual([{ ...message, templateId: null }])
  })

  it('fails if the carrier fails, so that it is retried', async () => {
    const { handlers: work } = handlers({ failed: 'no route' })
    await expect(work['send-sms'](job(1), attempt)).rejects.toThrow('The text message was not sent: no route')
  })

  it('drops a message with an expired code, without logging the code', async () => {
    const { handlers: work, carried, logged } = handlers('sent')
    await work['send-sms'](job(0), attempt)
    expect(carried).toEqual([])
    expect(logged).toHaveLength(1)
    expect(logged[0]).not.toMatch(/123456|9000000001/)
  })
})

describe('send-notice', () => {
  const notice = (expiresInMs: number) => ({
    ...job(expiresInMs),
    kind: 'due_soon' as const,
    code: undefined,
    tokenHash: undefined,
    text: '₹500 is due',
  })

  it('fails if the carrier fails, so that it is retried until it expires', async () => {
    const { handlers: failing } = handlers({ failed: 'no route' })
    await expect(failing['send-notice'](notice(1), attempt)).rejects.toThrow('The text message was not sent: no route')
    const { handlers: work, carried, logged } = handlers('sent')
    await work['send-notice'](notice(1), attempt)
    await work['send-notice'](notice(0), attempt)
    expect(carried.map(({ text, code }) => [text, code])).toEqual([['₹500 is due', null]])
    expect(logged).toHaveLength(1)
  })

  it('that the carrier may have sent is sent again twice in the hours after, and then no more', async () => {
    const { handlers: slow, carried, logged, queued } = handlers({ failed: 'no answer in time', mayBeSent: true })
    await slow['send-notice'](notice(1), attempt)
    expect(queued).toEqual([{ data: { ...notice(1), uncertain: 1 }, delayMs: 3_600_000 }])
    await slow['send-notice'](queued[0]!.data, attempt)
    expect(queued[1]).toEqual({ data: { ...notice(1), uncertain: 2 }, delayMs: 8 * 3_600_000 })
    await slow['send-notice'](queued[1]!.data, attempt)
    expect([carried.length, logged.length, queued.length]).toEqual([3, 3, 2])
    const evening = handlers({ failed: 'no answer in time', mayBeSent: true }, new Date('2026-12-05T13:00:00Z'))
    const applied = { ...notice(86_400_000), kind: 'payment_applied' as const }
    await evening.handlers['send-notice'](applied, attempt)
    // An hour after 18:30 is still day; eight hours are not.
    expect(evening.queued[0]?.delayMs).toBe(3_600_000)
    await evening.handlers['send-notice']({ ...applied, uncertain: 1 }, attempt)
    expect(evening.queued[1]?.delayMs).toBe(14.5 * 3_600_000)
    const { handlers: failing, queued: none } = handlers({ failed: 'no route' })
    await expect(failing['send-notice'](queued[1]!.data, attempt)).rejects.toThrow('no route')
    expect(none).toEqual([])
  })
})
