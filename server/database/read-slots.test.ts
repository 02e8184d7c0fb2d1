import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReadSlots } from './read-slots.ts'

/** Reads that end when the test says so, and the names of those that have started. */
function controlledReads(slots: ReturnType<typeof createReadSlots>) {
  const started: string[] = []
  const ask = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const answer = slots.run(() => {
      started.push(name)
      return promise
    })
    return { answer, end: () => resolve(name), fail: () => reject(new Error(name)) }
  }
  return { started, ask }
}

test('runs a few reads at once and the others in order of arrival', async () => {
  const slots = createReadSlots({ atOnce: 2, slowMs: 60_000 })
  const { started, ask } = controlledReads(slots)
  const [first, second, third, fourth] = [ask('first'), ask('second'), ask('third'), ask('fourth')]
  await nextTurn()
  expect([started, slots.waiting()]).toEqual([['first', 'second'], 2])
  second.end()
  expect(await second.answer).toBe('second')
  await nextTurn()
  expect([started, slots.waiting()]).toEqual([['first', 'second', 'third'], 1])
  for (const read of [first, third, fourth]) read.end()
  expect(await Promise.all([first.answer, third.answer, fourth.answer])).toEqual(['first', 'third', 'fourth'])
})

test('a read that fails gives its slot to the next', async () => {
  const { started, ask } = controlledReads(createReadSlots({ atOnce: 1, slowMs: 60_000 }))
  const [first, second] = [ask('first'), ask('second')]
  first.fail()
  await expect(first.answer).rejects.toThrow('first')
  second.end()
  expect(await second.answer).toBe('second')
  expect(started).toEqual(['first', 'second'])
})

test('a slow read gives its slot to the next once, and ends itself', async () => {
  const slots = createReadSlots({ atOnce: 1, slowMs: 1 })
  const { started, ask } = controlledReads(slots)
  const [slow, second] = [ask('slow'), ask('second')]
  second.end()
  expect(await second.answer).toBe('second')
  slow.end()
  expect(await slow.answer).toBe('slow')
  // One slot is free again, not two.
  const [third, fourth] = [ask('third'), ask('fourth')]
  expect([started, slots.waiting()]).toEqual([['slow', 'second', 'third'], 1])
  for (const read of [third, fourth]) read.end()
  await Promise.all([third.answer, fourth.answer])
})
