import { useLingui } from '@lingui/react/macro'
import { useEffect, useId, useRef } from 'react'
import type { Document } from '#contract/documents.ts'
import type { Loan } from '#contract/loans.ts'
import { uploadTypeText } from '#web/loan/document-names.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form } from '#web/ui/field.tsx'
import { ProgressBar } from '#web/ui/progress-bar.tsx'
import { FileDrop } from '#web/ui/file-drop.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { scrollInDialog } from '#web/ui/scroll-in-dialog.ts'
import type { FailedUpload } from './document-queries.ts'
import { UploadFailure } from './upload-failure.tsx'
import { getReadyUpload, isRefused, isSent, pickerAccept } from './upload-state.ts'
import { useFileProblemTexts } from './upload-texts.ts'
import { useUpload } from './use-upload.ts'

type UploadDialogProps = {
  loan: Loan
  onClose: () => void
  onDone: (document: Document) => void
  /** Called if the upload fails after the dialog was closed. */
  onFailedLater: (failed: FailedUpload) => void
}

/** Uploads a file for the lender: its type, the file, and the progress. */
export function UploadDialog({ loan, ...on }: UploadDialogProps) {
  const { t, i18n } = useLingui()
  const { onClose } = on
  const formId = useId()
  const picker = useRef<HTMLInputElement>(null)
  const permission = usePermission('document:create')
  const { state, chooseFile, chooseType, submit, cancel } = useUpload(loan, on)
  const problems = useFileProblemTexts()
  const isSending = state.step.name === 'sending'
  const canStop = isSending && !isSent(state)
  const hasFailed = state.step.name === 'failed'
  const most = formatBytes(getPortalConfig().upload_size_max_bytes)
  const end = useRef<HTMLDivElement>(null)
  const hasNews = state.problem !== null || state.step.name !== 'choosing'
  useEffect(() => {
    if (hasNews) scrollInDialog(end.current)
  }, [hasNews, state.file, state.step.name])
  const missing = state.type === null ? t`Choose the document type` : state.file === null ? t`Choose a file` : null

  return (
    <Dialog
      open
      isBusy={canStop}
      holdsInput
      onClose={onClose}
      title={t`Upload a document`}
      actions={
        <>
          {/* What is sent can be stored: it is not stopped any more, and needs no dialog. */}
          <Button variant="secondary" onClick={canStop ? cancel : onClose}>
            {canStop ? t`Cancel upload` : isSending ? t`Close` : t`Cancel`}
          </Button>
          {/* One component for both steps, so that the pressed button keeps the focus. */}
          <ActionButton
            className="max-md:w-full"
            permission={permission}
            {...(isRefused(state)
              ? { icon: 'upload' as const, onClick: () => picker.current?.click() }
              : {
                  type: 'submit' as const,
                  form: formId,
                  disabledReason: missing,
                  state: isSending ? 'loading' : hasFailed ? 'error' : getReadyUpload(state) === null ? 'disabled' : 'normal',
                })}
          >
            {isRefused(state) ? t`Choose another file` : hasFailed ? t`Try Again` : t`Upload`}
          </ActionButton>
        </>
      }
    >
      <Form id={formId} className="space-y-4" onSubmit={() => permission === 'allowed' && submit()}>
        <Banner tone="caution" icon="info">
          {t`Upload only documents about this loan. They are shared with your lender, and you cannot delete them.`}
        </Banner>
        <ChoiceField
          legend={t`Document type`}
          options={[
            { value: 'Transcript', label: i18n._(uploadTypeText.Transcript) },
            { value: 'Others', label: i18n._(uploadTypeText.Others) },
          ]}
          value={state.type}
          onChange={chooseType}
          problem={state.type === null ? t`Choose the document type` : null}
        />
        <FileDrop
          label={t`File`}
          hint={t`PDF, BMP, JPEG, PNG or WEBP, up to ${most}`}
          accept={pickerAccept}
          file={state.file}
          problem={state.problem ? problems[state.problem] : state.file === null ? t`Choose a file` : null}
          showsProblem={state.problem !== null}
          disabled={isSending}
          onChoose={chooseFile}
          inputRef={picker}
        />
        <div ref={end}>
          {state.step.name === 'sending' && <Progress sent={state.step.sent} isSent={isSent(state)} />}
          {state.step.name === 'failed' && <UploadFailure error={state.step.error} filename={state.file?.name ?? ''} />}
        </div>
      </Form>
    </Dialog>
  )
}

function Progress({ sent, isSent }: { sent: number; isSent: boolean }) {
  const { t } = useLingui()
  const percent = Math.round(sent * 100)
  return <ProgressBar label={t`Upload`} percent={percent} text={isSent ? t`Sent. Your file is being checked.` : t`${percent}% sent`} />
}
