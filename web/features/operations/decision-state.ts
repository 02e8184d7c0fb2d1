import type { Preview } from '#contract/operation-kinds.ts'
import type { Proposal } from '#contract/operations.ts'
import type { ApiError } from '#web/api/api-error.ts'
import type { Progress } from './operation-form.ts'

/** A checker's decision about a proposal. */
export type Decision = {
  /** What is shown, and what the next approval is about. */
  preview: Preview
  /** The server has answered with newer figures, which `preview` holds. */
  isRenewed: boolean
  isApproving: boolean
  /** How far the new figures have come, if they take long. */
  progress: Progress | null
  /** The server refused because the borrower can pay a link: the approval can cancel it first. */
  asksLink: boolean
  cancelsLink: boolean
  error: ApiError | null
}

type DecisionEvent =
  | { type: 'link_chosen'; cancels: boolean }
  | { type: 'approved' }
  | { type: 'progressed'; progress: Progress }
  | { type: 'stale'; preview: Preview }
  | { type: 'failed'; error: ApiError }

export const startDecision = (preview: Preview): Decision => ({
  preview,
  isRenewed: false,
  isApproving: false,
  progress: null,
  asksLink: preview.warnings.some(({ code }) => code === 'link_open'),
  cancelsLink: false,
  error: null,
})

export function decisionReducer(decision: Decision, event: DecisionEvent): Decision {
  switch (event.type) {
    case 'link_chosen':
      return decision.isApproving ? decision : { ...decision, cancelsLink: event.cancels, error: null }
    case 'approved':
      return decision.isApproving ? decision : { ...decision, isApproving: true, error: null }
    case 'progressed':
      return decision.isApproving ? { ...decision, progress: event.progress } : decision
    case 'stale': {
      const renewed = startDecision(event.preview)
      return { ...renewed, isRenewed: true, cancelsLink: renewed.asksLink && decision.cancelsLink }
    }
    case 'failed': {
      // The link is paid: there is nothing to cancel any more.
      const isLinkPaid = event.error.code === 'LinkPaid'
      return {
        ...decision,
        isApproving: false,
        progress: null,
        asksLink: !isLinkPaid && (decision.asksLink || event.error.code === 'LinkOpen'),
        cancelsLink: !isLinkPaid && decision.cancelsLink,
        error: event.error,
      }
    }
  }
}

/** Whether another person decided: not the reader (in another tab), and not the portal. */
export function isDecidedByOther(
  { state, checker, maker, decision_cause: cause }: Pick<Proposal, 'state' | 'checker' | 'maker' | 'decision_cause'>,
  userId: string | undefined,
): boolean {
  if (state === 'proposed' || state === 'expired' || cause === 'maker_disabled') return false
  return (checker ?? maker).user_id !== userId
}
