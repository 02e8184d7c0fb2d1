import type { AllocationLine } from '#domain/loans.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import type { Account } from './accounts.ts'

/** One line of a transaction: a credit is positive, a debit negative, and the lines sum to zero. */
export type Line = { account: Account; amountPaise: Paise; instalmentNumber: number | null; chargeId: string | null }

export const line = (account: Account, amountPaise: bigint, of: Partial<Pick<Line, 'instalmentNumber' | 'chargeId'>> = {}): Line => ({
  account,
  amountPaise: paise(amountPaise),
  instalmentNumber: of.instalmentNumber ?? null,
  chargeId: of.chargeId ?? null,
})

/** Held money is on the `excess` account until it is refunded. */
const componentAccounts = { principal: 'principal', interest: 'interest', charge: 'charges', excess: 'excess', held: 'excess' } as const

/** The ledger line of an allocation line: the settled component is credited. */
export const toLedgerLine = ({ component, instalmentNumber, chargeId, amountPaise }: AllocationLine): Line => ({
  account: componentAccounts[component],
  amountPaise,
  instalmentNumber,
  chargeId,
})

/**
 * The allocation lines of ledger lines; lines of other accounts, such as the bank's, are left out.
 */
export function toAllocation(lines: readonly Line[]): AllocationLine[] {
  const components = Object.entries(componentAccounts) as [AllocationLine['component'], Account][]
  return lines.flatMap(({ account, amountPaise, instalmentNumber, chargeId }) => {
    const component = components.find(([, known]) => known === account)?.[0]
    return component === undefined ? [] : [{ component, instalmentNumber, chargeId, amountPaise }]
  })
}

const keyOf = ({ account, instalmentNumber, chargeId }: Line): string => `${account} ${instalmentNumber ?? ''} ${chargeId ?? ''}`

/** Sums the lines by account, instalment and charge, and drops sums of zero. */
export function netLines(lines: readonly Line[]): Line[] {
  const byKey = new Map<string, Line>()
  for (const each of lines) {
    const key = keyOf(each)
    const known = byKey.get(key)
    byKey.set(key, known ? { ...known, amountPaise: paise(known.amountPaise + each.amountPaise) } : each)
  }
  return [...byKey.values()].filter(({ amountPaise }) => amountPaise !== zeroPaise)
}

export const negateLines = (lines: readonly Line[]): Line[] => lines.map((each) => ({ ...each, amountPaise: paise(-each.amountPaise) }))

/** True if two sets of lines have the same sums by account, instalment and charge. */
export const areSameLines = (left: readonly Line[], right: readonly Line[]): boolean =>
  netLines([...left, ...negateLines(right)]).length === 0

/** The total credit of balanced lines, which equals their total debit. */
export function sumCredits(lines: readonly Line[]): Paise {
  let sum = 0n
  for (const { amountPaise } of lines) if (amountPaise > 0n) sum += amountPaise
  return paise(sum)
}

export function sumLines(lines: readonly Line[]): Paise {
  let sum = 0n
  for (const { amountPaise } of lines) sum += amountPaise
  return paise(sum)
}
