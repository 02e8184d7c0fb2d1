import { expect, it } from 'vitest'
import { parseSearch } from './search.ts'

it.each([
  ['98000 00001', ['9800000001']],
  ['+91 (98000) 00001', ['9800000001']],
  ['09800000001', ['9800000001']],
  ['0000', ['0000']],
  // An empty word would find everybody.
  ['00000000000', ['00000000000']],
  ['0000 0000 0000', ['0000']],
  ['Asha  RAO asha', ['asha', 'rao']],
  ['', []],
])('a search for %j looks for %j', (text, words) => {
  expect(parseSearch(text)).toEqual(words)
})
