import { describe, expect, it, test } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import type { RateReset } from '#contract/rate-resets.ts'
import { paise } from '#domain/money.ts'
import { ApiError } from '#web/api/api-error.ts'
import {
  awaitsFigures,
  checkInstalment,
  findBounds,
  resetFormReducer,
  selectReadyOption,
  startResetForm,
  type ResetForm,
  type ResetFormEvent,
} from './reset-form.ts'
import { listShownResets } from './reset-queries.ts'
import { resetSample } from './samples.testkit.ts'

const bounds = { min: paise(1_101_000n), max: paise(1_130_000n) }
const refuse = (code: ErrorCode): ResetFormEvent => ({
  type: 'failed',
  error: new ApiError({
    kind: 'bad_request',
    status: 409,
    problem: { code, status: 409, title: '', detail: '', type: '', request_id: '' },
  }),
})
const after = (...events: ResetFormEvent[]): ResetForm => events.reduce(resetFormReducer, startResetForm(resetSample))

describe('an EMI in between', () => {
  test.each([
    ['11010', true],
    ['11300', true],
    ['11009', 'below_minimum'],
    ['11301', 'above_maximum'],
    ['11100.50', 'not_whole'],
    ['', 'not_an_amount'],
    ['0', 'not_an_amount'],
    ['1e4', 'not_an_amount'],
  ])('%s: %s', (text, expected) => {
    const check = checkInstalment(text, bounds)
    expect(check.isValid ? true : check.problem).toBe(expected)
  })

  it('has no bounds where it is not on offer', () => {
    expect(findBounds(resetSample)).toEqual(bounds)
    expect(findBounds({ options: [] })).toBeNull()
  })
})

describe('the comparison', () => {
  it('begins with what applies now', () => {
    expect(startResetForm(resetSample)).toMatchObject({ option: 'keep_emi', text: '11155' })
    expect(startResetForm({ ...resetSample, choice: 'keep_tenor' }).option).toBe('keep_tenor')
    // What was chosen may be on offer no more.
    expect(startResetForm({ ...resetSample, choice: 'part_payment' }).option).toBe('keep_emi')
  })

  it('is confirmed with the figures of exactly the typed EMI', () => {
    const between = { option: 'between', text: '11155' } as const
    expect(selectReadyOption(between, resetSample)?.instalment).toBe(1_115_500n)
    const waits = ['11155', '11156', '9', ''].map((text) => awaitsFigures({ option: 'between', text }, resetSample))
    expect(waits).toEqual([false, true, false, false])
    expect(awaitsFigures({ option: 'keep_emi', text: '11156' }, resetSample)).toBe(false)
    expect(selectReadyOption({ ...between, text: '11156' }, resetSample)).toBeNull()
    expect(selectReadyOption({ ...between, text: '1' }, resetSample)).toBeNull()
    expect(selectReadyOption({ option: 'keep_emi', text: '' }, resetSample)?.option).toBe('keep_emi')
    expect(selectReadyOption({ option: 'part_payment', text: '' }, resetSample)).toBeNull()
  })

  it('is sent once, after its confirmation', () => {
    expect(after({ type: 'submitted' }).step).toBe('comparing')
    const sending = after({ type: 'continued' }, { type: 'submitted' })
    expect(sending.step).toBe('sending')
    for (const event of [{ type: 'went_back' }, { type: 'submitted' }, { type: 'typed', text: '1' }] as const)
      expect(resetFormReducer(sending, event)).toBe(sending)
  })

  it('keeps what was entered when the figures were outgrown', () => {
    const stale = after(
      { type: 'option_chosen', option: 'between' },
      { type: 'typed', text: '11200' },
      { type: 'continued' },
      { type: 'submitted' },
      refuse('RateResetStale'),
    )
    expect(stale).toMatchObject({ step: 'comparing', isRenewed: true, option: 'between', text: '11200', error: null })
    expect(resetFormReducer(stale, { type: 'continued' }).isRenewed).toBe(false)
  })

  test.each<[ErrorCode, ResetForm['step']]>([
    ['RateResetNotAllowed', 'comparing'],
    ['RateResetClosed', 'closed'],
    ['NotFound', 'closed'],
    ['TooManyRequests', 'confirming'],
  ])('%s leads to %s', (code, step) => {
    const failed = after({ type: 'continued' }, { type: 'submitted' }, refuse(code))
    expect(failed).toMatchObject({ step, option: 'keep_emi', isRenewed: false })
    expect(failed.error?.code).toBe(code)
  })

  it('stays closed', () => {
    const closed = after({ type: 'continued' }, { type: 'submitted' }, refuse('RateResetClosed'))
    expect(resetFormReducer(closed, { type: 'continued' })).toBe(closed)
  })
})

describe('the resets that the loan page tells', () => {
  const today = '2027-01-05' as RateReset['effective_on']
  test.each<[RateReset['state'], string, boolean]>([
    ['computed', '2027-02-05', false],
    ['notified', '2027-02-05', true],
    ['chosen', '2027-02-05', true],
    ['defaulted', '2027-01-06', true],
    ['defaulted', '2027-01-05', true],
    ['withdrawn', '2027-01-06', true],
    ['withdrawn', '2027-01-05', false],
    ['effective', '2027-01-05', true],
    ['effective', '2026-12-07', true],
    ['effective', '2026-12-06', false],
  ])('%s, of %s: %s', (state, effectiveOn, isShown) => {
    const reset = { ...resetSample, state, effective_on: effectiveOn as RateReset['effective_on'] }
    expect(listShownResets([reset], today)).toHaveLength(isShown ? 1 : 0)
  })

  it('come in the order of their days', () => {
    const of = (day: string): RateReset => ({ ...resetSample, id: day, effective_on: day as RateReset['effective_on'] })
    expect(listShownResets([of('2027-05-05'), of('2027-02-05')], today).map(({ id }) => id)).toEqual(['2027-02-05', '2027-05-05'])
  })
})
