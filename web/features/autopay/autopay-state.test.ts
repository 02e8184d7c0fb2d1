import { describe, expect, it } from 'vitest'
import type { Collection, Mandate } from '#contract/autopay.ts'
import type { ScheduleRow } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import type { Autopay } from '#web/loan/autopay.ts'
import {
  findDebitObstacle,
  findDebitProblem,
  getAutopayState,
  getEndCause,
  getFailureCause,
  getShownSteps,
  isNextDebitShown,
  isPaidByBorrower,
  isPastDebit,
} from './autopay-state.ts'

const day = (text: string) => text as Day
const mandate = (change: Partial<Mandate> = {}): Mandate => ({
  id: 'm1',
  reference: 'KM1',
  lan: 'KST-1',
  method: 'upi',
  auth_type: null,
  status: 'active',
  reason: null,
  paused_by: null,
  max_amount: paise(600_000n),
  debit_limit: paise(600_000n),
  account_hint: '@upi',
  consent_version: '1',
  created_at: new Date(0),
  active_at: new Date(0),
  ended_at: null,
  redirect_url: null,
  expires_at: null,
  ...change,
})
const debit = (change: Partial<Collection> = {}): Collection => ({
  id: 'c1',
  reference: 'KC1',
  lan: 'KST-1',
  mandate_id: 'm1',
  due_date: day('2026-12-05'),
  amount: paise(470_800n),
  attempt: 1,
  status: 'planned',
  reason: null,
  failure_class: null,
  debit_on: day('2026-12-05'),
  announced_at: null,
  delivered_at: null,
  presented_at: null,
  expected_by: null,
  skip_until: null,
  retry: null,
  parts: [],
  payment_id: null,
  refund_status: null,
  steps: [],
  ...change,
})
const offer = { methods: [], debit_day: 5, first_debit_on: day('2026-12-05'), consent_version: '1', consent_text: 'I agree' }
const autopay = (change: Partial<Autopay> = {}): Autopay => ({ mandate: mandate(), offer, next_collection: null, ...change })
const active = { loan_status: 'ACTIVE' } as const
const checked = { loan_status: 'UNKNOWN' } as const
const findProblem = (debits: Omit<Parameters<typeof findDebitProblem>[0], 'loan'>) => findDebitProblem({ loan: active, ...debits })
const rows = (status: ScheduleRow['status']) => [{ due_date: day('2026-12-05'), status }] as ScheduleRow[]

describe('what the card shows', () => {
  it.each([
    ['none', { mandate: null, offer: null }],
    ['offered', { mandate: null }],
    ['offered', { mandate: mandate({ status: 'ended', reason: 'app' }) }],
    ['ended', { mandate: mandate({ status: 'rejected' }), offer: null }],
    ['waiting', { mandate: mandate({ status: 'creating' }) }],
    ['waiting', { mandate: mandate({ status: 'issued' }) }],
    ['waiting', { mandate: mandate({ status: 'initiated' }) }],
    ['active', {}],
    ['active', { next_collection: debit() }],
    ['announced', { next_collection: debit({ status: 'announced' }) }],
    ['paused', { mandate: mandate({ status: 'paused' }), next_collection: debit({ status: 'announced' }) }],
    ['ending', { mandate: mandate({ status: 'ending' }) }],
    ['in_progress', { next_collection: debit({ status: 'presented' }) }],
  ] as const)('is %s', (kind, change) => {
    expect(getAutopayState(autopay(change)).kind).toBe(kind)
  })

  it('is the debit in progress, whatever became of its mandate', () => {
    for (const status of ['paused', 'ending', 'ended'] as const)
      expect(getAutopayState(autopay({ mandate: mandate({ status }), next_collection: debit({ status: 'presented' }) })).kind).toBe(
        'in_progress',
      )
  })
})

describe('a problem with a debit', () => {
  const failed = debit({ status: 'failed', reason: 'insufficient_funds', failure_class: 'funds' })

  it('is the latest that failed, until the instalment is paid', () => {
    const of = (status: ScheduleRow['status']) => findProblem({ autopay: autopay(), collections: [failed], rows: rows(status) })
    expect(of('Late')).toEqual({ kind: 'failed', debit: failed, isRetried: false })
    expect(of('Paid')).toBeNull()
  })

  it('knows that another debit for the same instalment is planned', () => {
    const retry = debit({ id: 'c2', attempt: 2, debit_on: day('2026-12-09') })
    const problem = findProblem({ autopay: autopay({ next_collection: retry }), collections: [retry, failed], rows: rows('Late') })
    expect(problem).toMatchObject({ kind: 'failed', isRetried: true })
  })

  it('is over when a later debit was captured, and not told while one is in progress', () => {
    const captured = debit({ id: 'c2', status: 'captured', attempt: 2, debit_on: day('2026-12-09') })
    expect(findProblem({ autopay: autopay(), collections: [captured, failed], rows: rows('Late') })).toBeNull()
    const presented = debit({ id: 'c2', status: 'presented', attempt: 2 })
    expect(
      findProblem({ autopay: autopay({ next_collection: presented }), collections: [presented, failed], rows: rows('Late') }),
    ).toBeNull()
  })

  it('is a cap that the planned amount exceeds, or that skipped the latest', () => {
    const large = debit({ amount: paise(600_001n) })
    expect(findProblem({ autopay: autopay({ next_collection: large }), collections: [large], rows: [] })).toEqual({
      kind: 'cap_too_low',
      debit: large,
    })
    expect(findProblem({ autopay: autopay({ next_collection: debit({ amount: paise(600_000n) }) }), collections: [], rows: [] })).toBeNull()
    const skipped = debit({ status: 'skipped', reason: 'cap' })
    const of = (change: Partial<Mandate>) =>
      findProblem({ autopay: autopay({ mandate: mandate(change) }), collections: [skipped], rows: rows('Due') })
    expect(of({})).toEqual({ kind: 'cap_too_low', debit: skipped })
    expect(of({ id: 'm2' })).toBeNull()
    expect(of({ status: 'ended' })).toBeNull()
    // The instalment of the next month is planned by then, and above the limit too.
    const next = debit({ id: 'c2', due_date: day('2027-01-05'), amount: paise(600_001n) })
    expect(findProblem({ autopay: autopay({ next_collection: next }), collections: [next, skipped], rows: rows('Due') })).toEqual({
      kind: 'cap_too_low',
      debit: skipped,
    })
    const isShown = (amount: bigint) => isNextDebitShown(active, { mandate: mandate(), debit: debit({ amount: paise(amount) }) })
    expect([isShown(600_001n), isShown(600_000n)]).toEqual([false, true])
  })

  it('is none while the lender checks the loan: nothing is debited, and nothing can be paid', () => {
    const large = debit({ amount: paise(600_001n) })
    for (const [next, collections] of [
      [null, [failed]],
      [large, [large]],
    ] as const)
      expect(
        findDebitProblem({ loan: checked, autopay: autopay({ next_collection: next }), collections, rows: rows('Unknown') }),
      ).toBeNull()
    for (const next of [debit(), null]) expect(isNextDebitShown(checked, { mandate: mandate(), debit: next })).toBe(false)
    expect(isNextDebitShown(active, { mandate: mandate(), debit: null })).toBe(true)
  })

  it('keeps an announced debit from being made while the loan is checked, or a payment link is open', () => {
    expect(findDebitObstacle(checked, false)).toBe('loan_checked')
    expect(findDebitObstacle(checked, true)).toBe('loan_checked')
    expect(findDebitObstacle(active, true)).toBe('link_open')
    expect(findDebitObstacle(active, false)).toBeNull()
  })

  it('is not a debit that the borrower skipped', () => {
    const skipped = debit({ status: 'skipped', reason: 'borrower' })
    expect(findProblem({ autopay: autopay(), collections: [skipped], rows: rows('Late') })).toBeNull()
  })
})

describe('the history', () => {
  it.each([
    [false, { status: 'planned' }],
    [false, { status: 'announced', announced_at: new Date(0) }],
    [true, { status: 'presented' }],
    [true, { status: 'captured' }],
    [true, { status: 'failed' }],
    [true, { status: 'skipped', reason: 'mandate', announced_at: new Date(0) }],
    [false, { status: 'skipped', reason: 'mandate' }],
    [true, { status: 'skipped', reason: 'borrower' }],
    [true, { status: 'skipped', reason: 'cap' }],
  ] as const)('%s: %j', (isPast, change) => {
    expect(isPastDebit(debit(change))).toBe(isPast)
  })
})

describe('what is told of an end or a failure', () => {
  it('a request that the provider refused, or that the app cancelled, was not withdrawn in the portal', () => {
    expect(getEndCause({ status: 'cancelled', reason: 'refused', active_at: null })).toBe('refused')
    expect(getEndCause({ status: 'cancelled', reason: 'app', active_at: null })).toBe('app')
    expect(getEndCause({ status: 'cancelled', reason: 'borrower', active_at: null })).toBe('withdrawn')
    expect(getEndCause({ status: 'ended', reason: 'borrower', active_at: null })).toBe('withdrawn')
    expect(getEndCause({ status: 'ended', reason: 'borrower', active_at: new Date('2026-11-05T04:30:00Z') })).toBe('borrower')
    expect(getEndCause({ status: 'rejected', reason: 'bank', active_at: null })).toBe('rejected')
    expect(getEndCause({ status: 'expired', reason: 'expired', active_at: null })).toBe('not_approved')
    expect(getEndCause({ status: 'ended', reason: 'expired', active_at: null })).toBe('expired')
  })

  it('and whether it leaves EMIs to pay: not with the loan, nor if autopay never began by a decision of the borrower', () => {
    const isPaid = (reason: Mandate['reason'], status: Mandate['status'] = 'ended') => isPaidByBorrower(active, mandate({ status, reason }))
    expect((['borrower', 'app', 'bank', 'expired'] as const).map((reason) => isPaid(reason))).toEqual([true, true, true, true])
    expect([isPaid('bank', 'rejected'), isPaid('expired', 'expired')]).toEqual([true, true])
    expect([isPaid('loan_closed'), isPaid('borrower', 'cancelled'), isPaid('refused', 'cancelled')]).toEqual([false, false, false])
    for (const loan_status of ['CLOSED', 'UNKNOWN'] as const)
      expect(isPaidByBorrower({ loan_status }, mandate({ status: 'ended', reason: 'app' }))).toBe(false)
  })

  it('a debit whose request never left has no step at the bank', () => {
    const steps = (['announced', 'presented', 'failed'] as const).map((step) => ({ step, at: new Date(0) }))
    const lost = debit({ status: 'failed', reason: 'not_presented', failure_class: 'technical', steps })
    expect([getFailureCause(lost), getShownSteps(lost).map(({ step }) => step)]).toEqual(['not_presented', ['announced', 'failed']])
    expect(getFailureCause(debit({ status: 'failed', reason: 'not_captured', failure_class: 'technical' }))).toBe('not_captured')
    const refused = debit({ status: 'failed', reason: 'psp_timeout', failure_class: 'technical', steps })
    expect([getFailureCause(refused), getShownSteps(refused)]).toEqual(['technical', steps])
  })
})
