import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createReadBatches, type BatchConnection } from './read-batches.ts'
import type { Bound } from './statement.ts'

type Sent = { names: string[]; answer(): void; fail(): void }

/**
 * Batches over connections that answer when the test says so.
 *
 * @param unprepared the statements that no connection has prepared.
 */
function controlledBatches(limits: Partial<Parameters<typeof createReadBatches>[1]> = {}, unprepared: readonly string[] = []) {
  const sent: Sent[] = []
  const released: boolean[] = []
  let refusal: Error | null = null
  const connection: BatchConnection = {
    hasPrepared: (statements) => statements.every(({ statement: { name } }) => !unprepared.includes(name)),
    send: (reads, answered) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const names = reads.map(([read]) => read?.statement.name ?? '')
      let next = 0
      sent.push({
        names,
        answer: () => {
          answered(next, [[{ name: names[next] }]])
          next += 1
          if (next === names.length) resolve()
        },
        fail: () => reject(new Error(names[next])),
      })
      return promise
    },
    release: (isBroken) => released.push(isBroken),
  }
  const batches = createReadBatches(
    async () => {
      await nextTurn()
      if (refusal) throw refusal
      return connection
    },
    { atOnce: 1, readsMax: 3, slowMs: 60_000, quickFailureMs: 2_000, ...limits },
  )
  const ask = async (name: string) => {
    const read: Bound<unknown> = { statement: { name, text: '' }, values: [] }
    const [[row] = []] = await batches.run([read])
    return row?.['name']
  }
  const sentNames = () => sent.map(({ names }) => names.join(' '))
  return { batches, ask, sent, sentNames, released, refuse: (error: Error | null) => (refusal = error) }
}

const turns = async () => {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
}

test('sends what waits together, at most so many reads, in order of arrival', async () => {
  const { batches, ask, sent, sentNames, released } = controlledBatches()
  const answers = ['a', 'b', 'c', 'd', 'e'].map((name) => ask(name))
  expect(batches.waiting()).toBe(4)
  await turns()
  expect([sentNames(), batches.waiting()]).toEqual([['a b c'], 2])
  sent[0]?.answer()
  // Each read is answered as its rows arrive.
  expect(await answers[0]).toBe('a')
  for (let rest = 0; rest < 2; rest += 1) sent[0]?.answer()
  await turns()
  expect([sentNames(), released]).toEqual([['a b c', 'd e'], [false]])
  for (let rest = 0; rest < 2; rest += 1) sent[1]?.answer()
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a read whose statements are not prepared is sent alone', async () => {
  const { ask, sent, sentNames } = controlledBatches({}, ['new'])
  const answers = [ask('a'), ask('b'), ask('new'), ask('c'), ask('d')]
  for (let batch = 0; batch < 3; batch += 1) {
    await turns()
    for (const _name of sent[batch]?.names ?? []) sent[batch]?.answer()
  }
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'new', 'c', 'd'])
  expect(sentNames()).toEqual(['a b', 'new', 'c d'])
})

test('a read that fails fails alone: those behind it are sent again, over another connection', async () => {
  const { ask, sent, sentNames, released } = controlledBatches()
  const [first, failing, third, fourth] = ['a', 'b', 'c', 'd'].map((name) => ask(name))
  await turns()
  sent[0]?.answer()
  sent[0]?.fail()
  await expect(failing).rejects.toThrow('b')
  await turns()
  expect([sentNames(), released]).toEqual([['a b c', 'c d'], [true]])
  for (let rest = 0; rest < 2; rest += 1) sent[1]?.answer()
  expect(await Promise.all([first, third, fourth])).toEqual(['a', 'c', 'd'])
})

describe('a read that fails', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => vi.useRealTimers())

  test('after long takes those behind it with it, instead of one after the other', async () => {
    const { ask, sent, sentNames, released } = controlledBatches()
    const stalled = Promise.allSettled(['a', 'b', 'c'].map((name) => ask(name)))
    const next = ask('d')
    await turns()
    sent[0]?.answer()
    vi.advanceTimersByTime(3_000)
    sent[0]?.fail()
    expect(await stalled).toMatchObject([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: { message: 'b' } },
      { status: 'rejected', reason: { message: 'b' } },
    ])
    await turns()
    expect([sentNames(), released]).toEqual([['a b c', 'd'], [true]])
    sent[1]?.answer()
    expect(await next).toBe('d')
  })

  test('at once fails alone, although all have waited long for the connection', async () => {
    const { ask, sent } = controlledBatches()
    const answers = Promise.allSettled([ask('a'), ask('b')])
    vi.advanceTimersByTime(3_000)
    await turns()
    sent[0]?.fail()
    await turns()
    sent[1]?.answer()
    expect(await answers).toMatchObject([
      { status: 'rejected', reason: { message: 'a' } },
      { status: 'fulfilled', value: 'b' },
    ])
  })
})

test('a slow batch lets the next one start, once', async () => {
  const { ask, sent, sentNames } = controlledBatches({ slowMs: 1, readsMax: 1 })
  const answers = [ask('slow'), ask('b')]
  while (sent.length < 2) await nextTurn()
  sent[1]?.answer()
  sent[0]?.answer()
  expect(await Promise.all(answers)).toEqual(['slow', 'b'])
  await turns()
  // One turn is free again, not two.
  const more = [ask('c'), ask('d')]
  await turns()
  expect(sentNames()).toEqual(['slow', 'b', 'c'])
  sent[2]?.answer()
  while (sent.length < 4) await nextTurn()
  sent[3]?.answer()
  expect(await Promise.all(more)).toEqual(['c', 'd'])
})

test('without a connection the reads that waited for it fail, and later ones are sent', async () => {
  const { batches, ask, refuse, sent, sentNames } = controlledBatches()
  refuse(new Error('no connection'))
  const refused = [ask('a'), ask('b')]
  expect(await Promise.allSettled(refused)).toMatchObject([
    { status: 'rejected', reason: { message: 'no connection' } },
    { status: 'rejected', reason: { message: 'no connection' } },
  ])
  refuse(null)
  const later = ask('c')
  await turns()
  expect([sentNames(), batches.waiting()]).toEqual([['c'], 0])
  sent[0]?.answer()
  expect(await later).toBe('c')
})
