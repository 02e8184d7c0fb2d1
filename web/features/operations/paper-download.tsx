import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { openOperationsPaper } from '#contract/loan-papers.ts'
import { callForFile, fileTimeoutMs } from '#web/api/call.ts'
import { saveFile } from '#web/loan/generate-document.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { Button } from '#web/ui/button.tsx'

/** Saves a paper that waits for its publication, so that a checker reads what the borrower will. */
export function PaperDownload({ id }: { id: string }) {
  const { t } = useLingui()
  const { mutate, isPending, isError } = useMutation({
    mutationFn: async () => saveFile(await callForFile(openOperationsPaper, { params: { id } }, { timeoutMs: fileTimeoutMs }), `${id}.pdf`),
  })
  return (
    <>
      <Button variant="secondary" size="sm" icon="download" state={getCallState({ isPending, isError })} onClick={() => mutate()}>
        {t`Download the paper`}
      </Button>
      <span role="alert">{isError && t`Failed to download file`}</span>
    </>
  )
}
