import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { FileRefusalReason } from '#domain/documents.ts'
import { ApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { formatBytes } from '#web/ui/format.ts'
import type { FileProblem } from './upload-state.ts'

/** The first two are word for word from spec §5. */
export function useFileProblemTexts(): Record<FileProblem, string> {
  const { t } = useLingui()
  const most = formatBytes(getPortalConfig().upload_size_max_bytes)
  return {
    unsupported: t`Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.`,
    empty: t`File is empty. Please select a valid file with content.`,
    too_large: t`The file is too large. The limit is ${most}.`,
    unreadable: t`This file could not be read. Save it on this phone or computer first, then choose it there.`,
  }
}

const refusalTexts: Record<FileRefusalReason, MessageDescriptor> = {
  malware: msg`This file contains a virus and was not stored. Please choose another file, or take a new photo of the document.`,
  pdf_damaged: msg`This PDF is damaged. Please save it again and upload the new file.`,
  pdf_trailing_bytes: msg`This PDF has other data after its end. Please print it to a new PDF and upload that.`,
  pdf_encrypted: msg`This PDF is locked with a password. Please upload a copy without a password.`,
  pdf_javascript: msg`This PDF contains a script (JavaScript). Please print it to a new PDF and upload that.`,
  pdf_launch: msg`This PDF can start a program. Please print it to a new PDF and upload that.`,
  pdf_remote_file: msg`This PDF opens another file. Please print it to a new PDF and upload that.`,
  pdf_goto_embedded: msg`This PDF opens a file inside another file. Please print it to a new PDF and upload that.`,
  pdf_submit_form: msg`This PDF has a form that sends data. Please print it to a new PDF and upload that.`,
  pdf_import_data: msg`This PDF imports data from another file. Please print it to a new PDF and upload that.`,
  pdf_rich_media: msg`This PDF contains sound, video or 3D content. Please print it to a new PDF and upload that.`,
  pdf_embedded_files: msg`This PDF has other files inside it. Please upload each file separately.`,
  pdf_xfa_form: msg`This PDF has a form that can contain scripts (XFA). Please print it to a new PDF and upload that.`,
  pdf_unpacks_too_large: msg`This PDF becomes too large when it is opened. Please print it to a new PDF and upload that.`,
  pdf_unreadable_part: msg`A part of this PDF cannot be read. Please print it to a new PDF and upload that.`,
  picture_damaged: msg`This picture is damaged. Please save it again and upload the new file.`,
  picture_animated: msg`This picture is animated. Please upload a still picture.`,
  picture_too_many_pixels: msg`This picture has more than 50 million pixels. Please make it smaller.`,
  examination_timeout: msg`This file takes too long to check. Please try again later, or upload a photo of the document or fewer pages.`,
  examination_memory: msg`This file is too complex to check. Please upload a photo of the document, or fewer pages.`,
  examination_failed: msg`This file could not be checked and was not stored. Please try again, or upload a photo of the document.`,
}

/** Why the upload failed. */
export function useUploadFailureText(error: unknown): string {
  const { t, i18n } = useLingui()
  const problems = useFileProblemTexts()
  const code = error instanceof ApiError ? error.code : null
  switch (code) {
    case 'FileEmpty':
      return problems.empty
    case 'FileTypeUnsupported':
      return problems.unsupported
    case 'FileTooLarge':
    case 'PayloadTooLarge':
      return problems.too_large
    case 'FileRefused':
      return i18n._(refusalTexts[(error instanceof ApiError && error.problem?.reason) || 'examination_failed'])
    case 'DocumentQuotaReached':
      return t`This loan has reached its limit of documents. Please send further ones to support.`
    case 'LoanNotActive':
      return t`Documents can be uploaded for an active loan only`
    case 'LeadIdMissing':
      return t`Lead ID not available for document upload`
    case 'RequestTimeout':
      return t`The file took too long to arrive. Please try again.`
    case 'StorageUnavailable':
    case 'ScannerUnavailable':
      return t`Files cannot be stored at the moment. Please try again later.`
    default:
      return i18n._(getFailureText(error))
  }
}
