import { expect, test } from 'vitest'
import { getEntryRange, isPagination, listPageNumbers } from './page-numbers.ts'

test.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [3, 3, [1, 2, 3]],
  [1, 5, [1, 2, 3, 4, 5]],
  [1, 242, [1, 2, 3, 4, 5]],
  [3, 242, [1, 2, 3, 4, 5]],
  [4, 242, [2, 3, 4, 5, 6]],
  [241, 242, [238, 239, 240, 241, 242]],
  [242, 242, [238, 239, 240, 241, 242]],
  // A page beyond the end still has a way back.
  [300, 242, [238, 239, 240, 241, 242]],
])('page %i of %i shows %j', (current, total, pages) => expect(listPageNumbers(current, total)).toEqual(pages))

test.each([
  [1, 10, { from: 1, to: 10 }],
  [3, 7, { from: 21, to: 27 }],
  [1, 0, { from: 0, to: 0 }],
])('page %i with %i entries', (page, shown, entries) => expect(getEntryRange(page, 10, shown)).toEqual(entries))

const figures = { currentPage: 1, totalPages: 3, itemsPerPage: 10, totalItems: 23 }
test.each([
  [{}, true],
  [{ totalItems: 0 }, true],
  [{ currentPage: 0 }, false],
  [{ currentPage: 1.5 }, false],
  [{ totalPages: 0 }, false],
  [{ totalPages: Number.NaN }, false],
  [{ itemsPerPage: 0 }, false],
  [{ itemsPerPage: -10 }, false],
  [{ totalItems: -1 }, false],
  [{ totalItems: 2.5 }, false],
])('a pagination with %j can be drawn: %s', (changed, drawn) => expect(isPagination({ ...figures, ...changed })).toBe(drawn))
