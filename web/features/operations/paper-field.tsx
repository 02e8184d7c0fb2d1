import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { uploadLoanPaper } from '#contract/loan-papers.ts'
import { loanPapers, type LoanPaper } from '#domain/documents.ts'
import { ApiError } from '#web/api/api-error.ts'
import { upload } from '#web/api/upload.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { paperText } from '#web/loan/document-names.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { FileDrop } from '#web/ui/file-drop.tsx'
import { formatBytes, formatCode } from '#web/ui/format.ts'

type PaperFieldProps = {
  label: string
  lan: string
  /** The paper has not been uploaded yet. */
  problem: string | null
  disabled: boolean
  /** Called with the id of the uploaded paper, and with '' when another file or kind is chosen. */
  onChange: (paperId: string) => void
}

/** Uploads a PDF as a kind of paper. Only staff see it until it is published. */
export function PaperField({ label, lan, problem, disabled, onChange }: PaperFieldProps) {
  const { t, i18n } = useLingui()
  const [paper, setPaper] = useState<LoanPaper | null>(null)
  const [file, setFile] = useState<File | null>(null)
  const send = usePaperUpload(lan)
  const most = formatBytes(getPortalConfig().upload_size_max_bytes)
  const isBusy = disabled || send.isPending
  const renew = (): void => {
    send.reset()
    onChange('')
  }
  return (
    <div className="space-y-4 md:col-span-2">
      <ChoiceField
        legend={t`Kind of paper`}
        options={loanPapers.map((value) => ({ value, label: i18n._(paperText[value]) }))}
        value={paper}
        // The file that is being sent belongs to its kind.
        disabled={isBusy}
        onChange={(value) => {
          setPaper(value)
          renew()
        }}
        problem={paper === null ? t`Choose the kind of paper` : null}
      />
      <FileDrop
        label={label}
        hint={t`PDF, up to ${most}`}
        accept=".pdf"
        file={file}
        disabled={isBusy}
        problem={problem === null ? null : t`Choose a file and upload it`}
        onChoose={(chosen) => {
          setFile(chosen)
          renew()
        }}
      />
      {send.isError && <UploadFailure error={send.error} />}
      <div role="status">{send.isSuccess && <Banner tone="positive">{t`Uploaded. The borrower does not see it yet.`}</Banner>}</div>
      {!send.isSuccess && (
        <Button
          variant="secondary"
          icon="upload"
          state={send.isPending ? 'loading' : disabled || paper === null || file === null ? 'disabled' : send.isError ? 'error' : 'normal'}
          onClick={() => paper !== null && file !== null && send.mutate({ paper, file }, { onSuccess: ({ id }) => onChange(id) })}
        >
          {t`Upload`}
        </Button>
      )}
    </div>
  )
}

/** The upload of one dialog. Closing the dialog cancels it. */
function usePaperUpload(lan: string) {
  const sending = useRef<AbortController | null>(null)
  useEffect(() => () => sending.current?.abort(), [])
  return useMutation({
    mutationFn: async ({ paper, file }: { paper: LoanPaper; file: File }) => {
      sending.current = new AbortController()
      const { signal } = sending.current
      return (await upload(uploadLoanPaper, { body: { lan, paper } }, file, { signal, onProgress: () => {} })).loan_paper
    },
  })
}

function UploadFailure({ error }: { error: Error }) {
  const { t, i18n } = useLingui()
  const { code, problem } = error instanceof ApiError ? error : { code: null, problem: null }
  const most = formatBytes(getPortalConfig().upload_size_max_bytes)
  const reason = formatCode(problem?.reason ?? '')
  let text = i18n._(getFailureText(error))
  if (code === 'FileTypeUnsupported') text = t`A paper is a PDF, and this file is something else, whatever its name says.`
  else if (code === 'FileEmpty') text = t`This file is empty.`
  else if (code === 'FileTooLarge' || code === 'PayloadTooLarge') text = t`The file is too large. The limit is ${most}.`
  else if (code === 'FileRefused') text = t`This file was not stored: ${reason}. Print it to a new PDF and choose that.`
  else if (code === 'FourEyes') text = t`Another person has to do this: nobody approves their own proposal or acts on their own loan.`
  else if (code === 'StorageUnavailable' || code === 'ScannerUnavailable')
    text = t`Files cannot be stored at the moment. Please try again later.`
  return (
    <Banner tone="danger" live="alert">
      {text}
    </Banner>
  )
}
