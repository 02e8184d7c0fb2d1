import { describe, expect, it } from 'vitest'
import { ApiError } from '#web/api/api-error.ts'
import { mayLeave, operationReducer, startForm, type OperationForm, type OperationFormEvent } from './operation-form.ts'
import { previewSample } from './samples.testkit.ts'

const error = new ApiError({ kind: 'bad_request', status: 409 })
const run = (...events: OperationFormEvent[]): OperationForm =>
  events.reduce(operationReducer, startForm({ values: { amount: '300' }, reason: '' }))
const previewed: OperationFormEvent[] = [{ type: 'submitted' }, { type: 'previewed', preview: previewSample }]

describe('the dialog that proposes', () => {
  it('shows the effect before it proposes', () => {
    expect(run({ type: 'submitted' }).step).toBe('previewing')
    expect(run(...previewed)).toMatchObject({ step: 'previewed', preview: previewSample })
    expect(run(...previewed, { type: 'submitted' }).step).toBe('proposing')
  })

  it('forgets the effect when an input is edited, and keeps it for the reason', () => {
    expect(run(...previewed, { type: 'edited', name: 'amount', text: '301' })).toMatchObject({
      step: 'editing',
      preview: null,
      values: { amount: '301' },
    })
    expect(run(...previewed, { type: 'reason_edited', text: 'Ticket 1' })).toMatchObject({ step: 'previewed', preview: previewSample })
  })

  it('takes no edit and no second press while a call runs', () => {
    const asking = run({ type: 'submitted' })
    expect(operationReducer(asking, { type: 'edited', name: 'amount', text: '1' })).toBe(asking)
    expect(operationReducer(asking, { type: 'submitted' })).toBe(asking)
  })

  it('shows the new figures of a stale preview instead of an error', () => {
    const renewed = { ...previewSample, preview_hash: 'new' }
    expect(run(...previewed, { type: 'submitted' }, { type: 'failed', error, preview: renewed })).toMatchObject({
      step: 'previewed',
      preview: renewed,
      isRenewed: true,
      error: null,
    })
  })

  it('keeps inputs and effect after any other failure', () => {
    expect(run({ type: 'submitted' }, { type: 'failed', error, preview: null })).toMatchObject({
      step: 'editing',
      values: { amount: '300' },
      error,
    })
    expect(run(...previewed, { type: 'submitted' }, { type: 'failed', error, preview: null })).toMatchObject({
      step: 'previewed',
      preview: previewSample,
      error,
    })
  })

  it('drops an answer that nothing waits for', () => {
    expect(run({ type: 'previewed', preview: previewSample })).toEqual(run())
    expect(run({ type: 'failed', error, preview: null })).toEqual(run())
  })
})

it('shows how far a long computation has come, until its effect is there or it fails', () => {
  const progress = { done: 500, total: 1_000 }
  const computing = run({ type: 'submitted' }, { type: 'progressed', progress })
  expect(computing).toMatchObject({ step: 'previewing', progress })
  expect(operationReducer(computing, { type: 'previewed', preview: previewSample }).progress).toBeNull()
  expect(operationReducer(computing, { type: 'failed', error, preview: null })).toMatchObject({ step: 'editing', progress: null })
  expect(run({ type: 'progressed', progress }).progress).toBeNull()
})

it('may be left while an effect is computed in the background, and not while a proposal waits for it', () => {
  const progressed: OperationFormEvent = { type: 'progressed', progress: { done: 500, total: 1_000 } }
  expect(mayLeave(run())).toBe(true)
  expect(mayLeave(run({ type: 'submitted' }))).toBe(false)
  expect(mayLeave(run({ type: 'submitted' }, progressed))).toBe(true)
  expect(mayLeave(run(...previewed, { type: 'submitted' }))).toBe(false)
  expect(mayLeave(run(...previewed, { type: 'submitted' }, progressed))).toBe(false)
})
