import type { AllocationLine } from '#domain/loans.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import type { Account } from './accounts.ts'

/** One side of a posting: a credit is positive, a debit negative, so the lines of a transaction add up to zero. */
export type Line = { account: Account; amountPaise: Paise; instalmentNumber: number | null; chargeId: string | null }

export const line = (account: Account, amountPaise: bigint, of: Partial<Pick<Line, 'instalmentNumber' | 'chargeId'>> = {}): Line => ({
  account,
  amountPaise: paise(amountPaise),
  instalmentNumber: of.instalmentNumber ?? null,
  chargeId: of.chargeId ?? null,
})

/** What goes back stays on the account of the borrower's money until it leaves. */
const componentAccounts = { principal: 'principal', interest: 'interest', charge: 'charges', excess: 'excess', held: 'excess' } as const

/** The ledger's line for a line of the domain's allocation: what is settled is credited. */
export const settlementLine = ({ component, instalmentNumber, chargeId, amountPaise }: AllocationLine): Line => ({
  account: componentAccounts[component],
  amountPaise,
  instalmentNumber,
  chargeId,
})

/** The other way round: what of a posting's lines is an allocation. Lines of other accounts, such as the money's own, are none. */
export function allocationOf(lines: readonly Line[]): AllocationLine[] {
  const components = Object.entries(componentAccounts) as [AllocationLine['component'], Account][]
  return lines.flatMap(({ account, amountPaise, instalmentNumber, chargeId }) => {
    const component = components.find(([, known]) => known === account)?.[0]
    return component === undefined ? [] : [{ component, instalmentNumber, chargeId, amountPaise }]
  })
}

const keyOf = ({ account, instalmentNumber, chargeId }: Line): string => `${account} ${instalmentNumber ?? ''} ${chargeId ?? ''}`

/** One line for each account, instalment and charge; what comes to zero is left out. */
export function netOf(lines: readonly Line[]): Line[] {
  const byKey = new Map<string, Line>()
  for (const each of lines) {
    const key = keyOf(each)
    const known = byKey.get(key)
    byKey.set(key, known ? { ...known, amountPaise: paise(known.amountPaise + each.amountPaise) } : each)
  }
  return [...byKey.values()].filter(({ amountPaise }) => amountPaise !== zeroPaise)
}

export const negated = (lines: readonly Line[]): Line[] => lines.map((each) => ({ ...each, amountPaise: paise(-each.amountPaise) }))

/** Whether two sets of lines say the same, in whatever order and pieces. */
export const isSame = (left: readonly Line[], right: readonly Line[]): boolean => netOf([...left, ...negated(right)]).length === 0

/** What the debits, or the credits, of balanced lines add up to. */
export function turnoverOf(lines: readonly Line[]): Paise {
  let sum = 0n
  for (const { amountPaise } of lines) if (amountPaise > 0n) sum += amountPaise
  return paise(sum)
}

export function sumOf(lines: readonly Line[]): Paise {
  let sum = 0n
  for (const { amountPaise } of lines) sum += amountPaise
  return paise(sum)
}
