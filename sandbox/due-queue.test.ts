import { describe, expect, it } from 'vitest'
import { Chance } from './chance.ts'
import { DueQueue } from './due-queue.ts'

describe('the queue of what is due', () => {
  it('gives everything in the order of its time, equal ones as they came, nothing early', () => {
    const chance = new Chance('queue')
    const queue = new DueQueue<number>()
    const times = Array.from({ length: 500 }, () => Math.floor(chance.unit() * 50))
    for (const [index, atMs] of times.entries()) queue.add(index, atMs)
    const taken: number[] = []
    for (let item = queue.take(24); item !== undefined; item = queue.take(24)) taken.push(item)
    const expected = times.map((atMs, index) => ({ atMs, index })).filter(({ atMs }) => atMs <= 24)
    expect(taken).toEqual(expected.sort((one, other) => one.atMs - other.atMs || one.index - other.index).map(({ index }) => index))
    expect(queue.size).toBe(500 - taken.length)
  })
})
