import { describe, expect, it } from 'vitest'
import { advanceLink, isClosedLink, isPayableLink, type LinkStatus } from './payment-links.ts'

const statuses: LinkStatus[] = ['creating', 'refused', 'created', 'partially_paid', 'paid', 'expired', 'cancelled']

describe('a link', () => {
  it.each([
    ['creating', 'created'],
    ['created', 'paid'],
    ['created', 'expired'],
    ['created', 'cancelled'],
    ['partially_paid', 'paid'],
    ['expired', 'paid'],
    ['cancelled', 'paid'],
    ['refused', 'paid'],
  ] as const)('goes from %s to %s', (from, to) => {
    expect(advanceLink(from, to)).toBe(to)
  })
  it.each(statuses)('that is paid stays paid when %s is reported', (reported) => {
    expect(advanceLink('paid', reported)).toBe('paid')
  })
  it.each([
    ['paid', 'created'],
    ['expired', 'created'],
    ['cancelled', 'created'],
    ['partially_paid', 'cancelled'],
    ['refused', 'created'],
    ['cancelled', 'expired'],
  ] as const)('does not go back from %s to %s', (from, to) => {
    expect(advanceLink(from, to)).toBe(from)
  })
  it('ends the same whatever the order of the reports', () => {
    const reports: LinkStatus[] = ['created', 'partially_paid', 'paid', 'expired']
    const orders = permutations(reports).map((order) => order.reduce(advanceLink, 'creating'))
    expect(new Set(orders)).toEqual(new Set(['paid']))
  })
  it('is reached from the statuses before it only: money from all but paid, its end from none that has ended by money', () => {
    const from = (to: LinkStatus) => statuses.filter((status) => status !== to && advanceLink(status, to) === to)
    expect(Object.fromEntries(statuses.map((to) => [to, from(to)]))).toEqual({
      creating: [],
      created: ['creating'],
      refused: ['creating'],
      partially_paid: ['creating', 'refused', 'created', 'expired', 'cancelled'],
      paid: ['creating', 'refused', 'created', 'partially_paid', 'expired', 'cancelled'],
      expired: ['creating', 'refused', 'created', 'partially_paid'],
      cancelled: ['creating', 'refused', 'created'],
    })
  })
  it('is payable, closed or paid', () => {
    expect(statuses.filter(isPayableLink)).toEqual(['creating', 'created', 'partially_paid'])
    expect(statuses.filter(isClosedLink)).toEqual(['refused', 'expired', 'cancelled'])
  })
})

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}
