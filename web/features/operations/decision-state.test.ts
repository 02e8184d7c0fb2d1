import { expect, it } from 'vitest'
import { ApiError } from '#web/api/api-error.ts'
import { decisionReducer, isDecidedByOther, startDecision } from './decision-state.ts'
import { previewSample } from './samples.testkit.ts'

const refusedWith = (code: 'LinkOpen' | 'LinkPaid' | 'FourEyes') =>
  new ApiError({ kind: 'bad_request', problem: { type: '', title: '', status: 409, detail: '', code, request_id: '' } })
const start = startDecision(previewSample)
const approving = decisionReducer(start, { type: 'approved' })

it('approves once', () => {
  expect(approving.isApproving).toBe(true)
  expect(decisionReducer(approving, { type: 'approved' })).toBe(approving)
})

it('takes the new figures of a stale preview for the next approval', () => {
  const renewed = { ...previewSample, preview_hash: 'new' }
  expect(decisionReducer(approving, { type: 'stale', preview: renewed })).toMatchObject({
    preview: renewed,
    isRenewed: true,
    isApproving: false,
    error: null,
  })
})

it('asks about the link when the preview warns of it, or the server refuses because of it', () => {
  expect(start.asksLink).toBe(false)
  expect(startDecision({ ...previewSample, warnings: [{ code: 'link_open' }] }).asksLink).toBe(true)
  expect(decisionReducer(approving, { type: 'failed', error: refusedWith('LinkOpen') })).toMatchObject({
    asksLink: true,
    isApproving: false,
  })
  expect(decisionReducer(approving, { type: 'failed', error: refusedWith('FourEyes') }).asksLink).toBe(false)
})

it('asks no longer about a link that was paid', () => {
  const withLink = startDecision({ ...previewSample, warnings: [{ code: 'link_open' }] })
  const chosen = decisionReducer(withLink, { type: 'link_chosen', cancels: true })
  const paid = decisionReducer(decisionReducer(chosen, { type: 'approved' }), { type: 'failed', error: refusedWith('LinkPaid') })
  expect(paid).toMatchObject({ asksLink: false, cancelsLink: false, isApproving: false })
})

it('keeps the choice about the link with new figures while there is a link, and not while it approves', () => {
  const chosen = decisionReducer(start, { type: 'link_chosen', cancels: true })
  const withLink = { ...previewSample, warnings: [{ code: 'link_open' as const }] }
  expect(decisionReducer(chosen, { type: 'stale', preview: withLink }).cancelsLink).toBe(true)
  expect(decisionReducer(chosen, { type: 'stale', preview: previewSample }).cancelsLink).toBe(false)
  expect(decisionReducer(approving, { type: 'link_chosen', cancels: true })).toBe(approving)
})

it('shows how far new figures have come while it waits for them', () => {
  const progress = { done: 500, total: 1_000 }
  const waiting = decisionReducer(approving, { type: 'progressed', progress })
  expect(waiting).toMatchObject({ isApproving: true, progress })
  expect(decisionReducer(waiting, { type: 'stale', preview: previewSample }).progress).toBeNull()
  expect(decisionReducer(start, { type: 'progressed', progress })).toBe(start)
})

it('tells a decision of others from the reader’s own in another tab, and from the portal’s', () => {
  const [maker, checker] = [
    { user_id: 'maker', name: 'Meena' },
    { user_id: 'checker', name: 'Rohan' },
  ]
  const executed = { state: 'executed', maker, checker, decision_cause: null } as const
  const withdrawn = { ...executed, state: 'withdrawn', checker: null } as const
  expect(isDecidedByOther(executed, 'third')).toBe(true)
  expect(isDecidedByOther(executed, 'checker')).toBe(false)
  expect(isDecidedByOther(withdrawn, 'checker')).toBe(true)
  expect(isDecidedByOther(withdrawn, 'maker')).toBe(false)
  expect(isDecidedByOther({ ...withdrawn, decision_cause: 'maker_disabled' }, 'checker')).toBe(false)
  expect(isDecidedByOther({ ...withdrawn, state: 'expired' }, 'checker')).toBe(false)
})
