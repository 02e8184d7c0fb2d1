import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useReducer, useState } from 'react'
import type { Preview } from '#contract/operation-kinds.ts'
import { approveProposal, type Proposal } from '#contract/operations.ts'
import { asApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Card } from '#web/ui/card.tsx'
import { ToggleField } from '#web/ui/choice-field.tsx'
import { PreviewProgress, useBackgroundPreview } from './background-preview.tsx'
import { CloseDialog } from './close-dialog.tsx'
import { decisionReducer, startDecision } from './decision-state.ts'
import { proposalQuery, readStalePreview, storeProposal } from './operations-queries.ts'
import { RefusalBanner } from './refusal.tsx'

type DecisionCardProps = {
  proposal: Proposal
  onRenewed: (preview: Preview) => void
  onDecidedElsewhere: () => void
  /** Whether the last approval cancelled the borrower's link, though it was refused. */
  onLinkCancelled: (isCancelled: boolean) => void
}

/** Approve and reject, for another person than the maker; withdraw, for the maker. */
export function DecisionCard(props: DecisionCardProps) {
  const { proposal, onDecidedElsewhere } = props
  const { t } = useLingui()
  const [closing, setClosing] = useState<'reject' | 'withdraw' | null>(null)
  const mayApprove = usePermission('operations:approve')
  const mayPropose = usePermission('operations:propose')
  return (
    <Card labelledBy="decision">
      <h2 id="decision" className="mb-2">{t`Decision`}</h2>
      {proposal.is_own ? (
        <>
          <Banner icon="user">{t`You proposed this. Another person, with another phone, has to approve or reject it. You can withdraw it.`}</Banner>
          <div className="mt-4">
            <ActionButton variant="danger" block permission={mayPropose} onClick={() => setClosing('withdraw')}>
              {t`Withdraw`}
            </ActionButton>
          </div>
        </>
      ) : (
        <Approval {...props}>
          <ActionButton variant="danger" block permission={mayApprove} showReason={false} onClick={() => setClosing('reject')}>
            {t`Reject`}
          </ActionButton>
        </Approval>
      )}
      {closing && <CloseDialog proposal={proposal} as={closing} onClose={() => setClosing(null)} onDecidedElsewhere={onDecidedElsewhere} />}
    </Card>
  )
}

/** The approval of the preview that is shown. */
function Approval({ children, ...props }: DecisionCardProps & { children: React.ReactNode }) {
  const { t } = useLingui()
  const mayApprove = usePermission('operations:approve')
  const { decision, setCancelsLink, approve } = useApproval(props)
  return (
    <div className="flex flex-col gap-3">
      {decision.isRenewed && (
        <Banner tone="caution" live="alert">
          {t`Something changed since the preview, so the proposal was not executed. Check the new figures, then approve again.`}
        </Banner>
      )}
      <div role="alert">{decision.error && <RefusalBanner error={decision.error} />}</div>
      <PreviewProgress progress={decision.progress} mayLeave={false} />
      {decision.asksLink && <ToggleField label={t`Cancel the link first`} checked={decision.cancelsLink} onChange={setCancelsLink} />}
      <ActionButton
        block
        permission={mayApprove}
        state={decision.isApproving ? 'loading' : decision.error ? 'error' : 'normal'}
        onClick={() => void approve()}
      >
        {decision.isRenewed ? t`Approve the new figures` : t`Approve and execute`}
      </ActionButton>
      {children}
    </div>
  )
}

function useApproval({ proposal, onRenewed, onDecidedElsewhere, onLinkCancelled }: DecisionCardProps) {
  const client = useQueryClient()
  const [decision, dispatch] = useReducer(decisionReducer, proposal.preview, startDecision)

  const untilComputed = useBackgroundPreview((progress) => dispatch({ type: 'progressed', progress }))

  async function approve() {
    if (decision.isApproving) return
    dispatch({ type: 'approved' })
    onLinkCancelled(false)
    const body = { preview_hash: decision.preview.preview_hash, ...(decision.cancelsLink && { cancel_link: true }) }
    try {
      const answer = await untilComputed(() => call(approveProposal, { params: { id: proposal.id }, body }))
      storeProposal(client, answer.proposal)
    } catch (cause) {
      const error = asApiError(cause)
      const preview = readStalePreview(cause)
      onLinkCancelled(error.problem?.link_cancelled === true)
      if (preview === null) dispatch({ type: 'failed', error })
      else {
        dispatch({ type: 'stale', preview })
        onRenewed(preview)
      }
      if (error.code === 'ProposalDecided') onDecidedElsewhere()
      // Decided by another, or failed: the page shows what became of it.
      if (error.code === 'ProposalDecided' || error.code === 'ProposalRefused')
        void client.invalidateQueries({ queryKey: proposalQuery(proposal.id).queryKey })
    }
  }
  return { decision, setCancelsLink: (cancels: boolean) => dispatch({ type: 'link_chosen', cancels }), approve }
}
