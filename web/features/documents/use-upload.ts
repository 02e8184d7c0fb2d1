import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useRef } from 'react'
import { uploadDocument, type Document } from '#contract/documents.ts'
import type { Loan } from '#contract/loans.ts'
import type { UploadedDocumentType } from '#domain/documents.ts'
import { ApiError } from '#web/api/api-error.ts'
import { upload } from '#web/api/upload.ts'
import { getLeadId, loansKey } from '#web/loan/loan-queries.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import type { FailedUpload } from './document-queries.ts'
import { checkUpload, noUpload, getReadyUpload, uploadReducer, type UploadState } from './upload-state.ts'

export type Upload = {
  state: UploadState
  chooseFile: (file: File) => void
  chooseType: (type: UploadedDocumentType) => void
  submit: () => void
  cancel: () => void
}

/** The server refused the file itself: only another file can help. */
const fileRefusals: ReadonlySet<string> = new Set(['FileEmpty', 'FileTypeUnsupported', 'FileTooLarge', 'PayloadTooLarge', 'FileRefused'])
/** A check that ran out of time may succeed later. */
const isAboutFile = (error: unknown): boolean =>
  error instanceof ApiError && fileRefusals.has(error.code ?? '') && error.problem?.reason !== 'examination_timeout'

type Dialog = { onDone: (document: Document) => void; onClose: () => void; onFailedLater: (failed: FailedUpload) => void }

/**
 * A copy in memory. A file that Android's picker offers from Drive or another app is a reference:
 * when it is sent later it may be gone, and sending it again fails in the same way.
 *
 * @returns null if the file cannot be read.
 */
const copyFile = (file: File): Promise<File | null> =>
  file.arrayBuffer().then(
    (bytes) => new File([bytes], file.name, { type: file.type, lastModified: file.lastModified }),
    () => null,
  )

/** The upload of one dialog. Closing the dialog cancels it, unless all of the file is sent. */
export function useUpload(loan: Loan, { onDone, onClose, onFailedLater }: Dialog): Upload {
  const [state, dispatch] = useReducer(uploadReducer, noUpload)
  const client = useQueryClient()
  const sending = useRef<AbortController | null>(null)
  // Another dialog may be open when a file is stored that was sent by a closed one.
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
      sending.current?.abort()
    }
  }, [])

  async function submit(): Promise<void> {
    const ready = getReadyUpload(state)
    dispatch({ type: 'submitted' })
    if (ready === null || state.step.name === 'sending') return
    const controller = new AbortController()
    sending.current = controller
    try {
      const document = await upload(
        uploadDocument,
        {
          body: { document_type: ready.type, lead_id: getLeadId(loan), partner_loan_id: loan.partner_loan_id ?? undefined, lan: loan.lan },
        },
        ready.file,
        {
          signal: controller.signal,
          onProgress: (sent) => {
            if (sent === 1) sending.current = null
            dispatch({ type: 'progressed', sent })
          },
        },
      )
      onDone(document)
      if (isOpen.current) onClose()
    } catch (error) {
      if (controller.signal.aborted) return
      if (isOpen.current) dispatch({ type: 'failed', error, fileRefused: isAboutFile(error) })
      else onFailedLater({ error, filename: ready.file.name })
    } finally {
      // The list and the notices, also after a failure: the server may have stored the file.
      void client.invalidateQueries({ queryKey: loansKey })
    }
  }

  return {
    state,
    chooseFile: (file) => {
      const problem = checkUpload(file, getPortalConfig().upload_size_max_bytes)
      dispatch({ type: 'file_chosen', file, problem })
      if (problem === null) void copyFile(file).then((copy) => dispatch({ type: 'file_copied', file, copy }))
    },
    chooseType: (documentType) => dispatch({ type: 'type_chosen', documentType }),
    submit: () => void submit(),
    cancel: () => {
      sending.current?.abort()
      dispatch({ type: 'cancelled' })
    },
  }
}
