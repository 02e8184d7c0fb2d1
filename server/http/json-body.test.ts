import { expect, it } from 'vitest'
import { parseStrictJson } from './json-body.ts'

/** The minimum CPU time of this thread over several runs, independent of other load and warm-up. */
function cpuMsOf(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

it('reads JSON', () => {
  expect(parseStrictJson('{"amount": 12345.67, "list": [1, -2, 0.5], "text": "1e3"}')).toEqual({
    amount: 12345.67,
    list: [1, -2, 0.5],
    text: '1e3',
  })
})
it.each(['', '   ', '\n'])('takes an empty body for an absent one', (text) => {
  expect(parseStrictJson(text)).toBeUndefined()
})
it.each(['{"amount":1e3}', '{"amount":1E3}', '{"amount":12.5e1}', '[1e0]'])('refuses the exponent in %s and says where', (text) => {
  expect(() => parseStrictJson(text)).toThrow(/plain decimal/)
})
it.each(['{', '{"a":NaN}', "{'a':1}", '{"a":0x10}', '{"a":01}', 'undefined', '{"a":1,}'])('refuses %s', (text) => {
  expect(() => parseStrictJson(text)).toThrow(/not valid JSON/)
})
it('refuses a prototype', () => {
  expect(() => parseStrictJson('{"__proto__":{"admin":true}}')).toThrow(/not allowed/)
})
it('refuses ten thousand brackets at once', () => {
  expect(cpuMsOf(() => expect(() => parseStrictJson('['.repeat(10_000))).toThrow(/too deeply/))).toBeLessThan(100)
})
it.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"b":{"a":1,"a":1}}', '[{"a":1},{"a":1,"c":0,"a":1}]', '{"a" : 1, "a" :2}'])(
  'P05: refuses a field twice in %s',
  (text) => {
    expect(() => parseStrictJson(text)).toThrow(/twice/)
  },
)
it.each(['{"a":1,"b":{"a":1}}', '[{"a":1},{"a":1}]', '{"a":"\\"a\\":1","b":"{[\\\\"}', '{"a":["a","a"],"a ":1}'])('reads %s', (text) => {
  expect(parseStrictJson(text)).toEqual(JSON.parse(text))
})
it('P05: P07: parses the worst 64 kB in a tenth of a second', () => {
  for (const text of [
    '"'.repeat(65_000),
    `{"a":"${'\\\\'.repeat(32_000)}`,
    `{${Array.from({ length: 6_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
    '"\\'.repeat(20_000),
    `"${' '.repeat(64_000)}"`,
  ]) {
    const read = () => {
      try {
        parseStrictJson(text)
      } catch {
        // A refusal is also a result.
      }
    }
    expect(cpuMsOf(read)).toBeLessThan(100)
  }
})
