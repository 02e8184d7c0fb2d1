import { useLingui } from '@lingui/react/macro'
import { closingReasonMinimum } from '#domain/operations.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Proposal, rejectProposal, withdrawProposal } from '#contract/operations.ts'
import { asApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { isLongEnough, tidyText } from '#web/session/access-reason.ts'
import { getCallState } from '#web/ui/action-state.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form, TextAreaField } from '#web/ui/field.tsx'
import { proposalReasonMax } from './operation-form.ts'
import { proposalQuery, storeProposal } from './operations-queries.ts'
import { RefusalBanner } from './refusal.tsx'

type CloseDialogProps = { proposal: Proposal; as: 'reject' | 'withdraw'; onClose: () => void; onDecidedElsewhere: () => void }

/** Asks why a proposal is rejected or withdrawn, and closes it. */
export function CloseDialog({ proposal, as, onClose, onDecidedElsewhere }: CloseDialogProps) {
  const { t } = useLingui()
  const formId = useId()
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const isRejection = as === 'reject'
  const close = useMutation({
    mutationFn: async () => {
      const request = { params: { id: proposal.id }, body: { reason: tidyText(reason) } }
      return (await (isRejection ? call(rejectProposal, request) : call(withdrawProposal, request))).proposal
    },
    onSuccess: (closed) => storeProposal(client, closed),
    onError: (error) => {
      if (asApiError(error).code === 'ProposalDecided') onDecidedElsewhere()
      void client.invalidateQueries({ queryKey: proposalQuery(proposal.id).queryKey })
    },
  })
  return (
    <Dialog
      open
      isBusy={close.isPending}
      holdsInput
      onClose={onClose}
      title={isRejection ? t`Reject this proposal?` : t`Withdraw this proposal?`}
      description={
        <p className="mb-4 text-muted">
          {isRejection
            ? t`Nothing changes for the borrower. The person who proposed it reads the reason.`
            : t`Nothing changes for the borrower.`}
        </p>
      }
      actions={
        <>
          <Button variant="secondary" state={close.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button variant="danger" type="submit" form={formId} state={getCallState(close)}>
            {isRejection ? t`Reject` : t`Withdraw`}
          </Button>
        </>
      }
    >
      <Form id={formId} className="space-y-4" onSubmit={() => !close.isPending && close.mutate()}>
        <TextAreaField
          id="closing-reason"
          label={t`Reason`}
          problem={isLongEnough(reason, closingReasonMinimum) ? null : t`Write at least ${closingReasonMinimum} characters`}
          value={reason}
          maxLength={proposalReasonMax}
          disabled={close.isPending}
          onChange={setReason}
        />
        <div role="alert">{close.isError && <RefusalBanner error={asApiError(close.error)} />}</div>
      </Form>
    </Dialog>
  )
}
