import { declaredContentType, hasMatchingExtension, type UploadedDocumentType } from '#domain/documents.ts'

/**
 * The state of an upload. The chosen file and type stay after a failure, so that a retry is one
 * press.
 */
export type UploadState = {
  file: File | null
  type: UploadedDocumentType | null
  problem: FileProblem | null
  step: { name: 'choosing' } | { name: 'sending'; sent: number } | { name: 'failed'; error: unknown; fileRefused: boolean }
}

export type UploadEvent =
  | { type: 'file_chosen'; file: File; problem: FileProblem | null }
  /** The copy of a chosen file in memory; null if the file cannot be read. */
  | { type: 'file_copied'; file: File; copy: File | null }
  | { type: 'type_chosen'; documentType: UploadedDocumentType }
  | { type: 'submitted' }
  | { type: 'progressed'; sent: number }
  /** `fileRefused`: the server refused the file itself; the same file is not sent again. */
  | { type: 'failed'; error: unknown; fileRefused: boolean }
  | { type: 'cancelled' }

export const noUpload: UploadState = { file: null, type: null, problem: null, step: { name: 'choosing' } }

/** What can be sent; null while something is missing or wrong. */
export function getReadyUpload(state: UploadState): { file: File; type: UploadedDocumentType } | null {
  const { file, type, problem } = state
  return file && type && problem === null && !isRefused(state) ? { file, type } : null
}

/** Whether all of the file is sent: the server may have it, and stores it unless a check fails. */
export const isSent = ({ step }: UploadState): boolean => step.name === 'sending' && step.sent === 1

/** Whether the server has refused the chosen file. */
export const isRefused = ({ step }: UploadState): boolean => step.name === 'failed' && step.fileRefused

export function uploadReducer(state: UploadState, event: UploadEvent): UploadState {
  const isSending = state.step.name === 'sending'
  switch (event.type) {
    case 'file_chosen':
      // A file dropped during an upload does not replace the one being sent.
      return isSending ? state : { ...state, file: event.file, problem: event.problem, step: { name: 'choosing' } }
    case 'file_copied':
      if (state.file !== event.file) return state
      return event.copy === null ? { ...state, problem: 'unreadable' } : { ...state, file: event.copy }
    case 'type_chosen':
      return isSending ? state : { ...state, type: event.documentType, step: isRefused(state) ? state.step : { name: 'choosing' } }
    case 'submitted':
      return isSending || getReadyUpload(state) === null ? state : { ...state, step: { name: 'sending', sent: 0 } }
    case 'progressed':
      return isSending ? { ...state, step: { name: 'sending', sent: Math.min(1, Math.max(0, event.sent)) } } : state
    case 'failed':
      return isSending ? { ...state, step: { name: 'failed', error: event.error, fileRefused: event.fileRefused } } : state
    case 'cancelled':
      return isSending ? { ...state, step: { name: 'choosing' } } : state
  }
}

/** Problems found before a file is sent (spec §5 'Upload'). The server checks the bytes. */
export type FileProblem = 'empty' | 'unsupported' | 'too_large' | 'unreadable'

/** The extensions offered by the file picker; two of them are refused with a message (spec §5). */
export const pickerAccept = '.pdf,.bmp,.gif,.jpeg,.jpg,.png,.tiff,.webp'

export function checkUpload(file: Pick<File, 'name' | 'type' | 'size'>, bytesMax: number): FileProblem | null {
  if (file.size === 0) return 'empty'
  const type = declaredContentType(file.type)
  if (type === null || !hasMatchingExtension(file.name, type)) return 'unsupported'
  return file.size > bytesMax ? 'too_large' : null
}
