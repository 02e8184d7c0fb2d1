import { useLingui } from '@lingui/react/macro'
import { ApiError } from '#web/api/api-error.ts'
import { failureText } from '#web/api/failure-text.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { formatBytes } from '#web/ui/format.ts'
import type { FileProblem } from './check-upload.ts'

/** The sentences about a file; the first two word for word as spec §5 has them. */
export function useFileProblemTexts(): Record<FileProblem, string> {
  const { t } = useLingui()
  const most = formatBytes(getPortalConfig().upload_size_max_bytes)
  return {
    unsupported: t`Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.`,
    empty: t`File is empty. Please select a valid file with content.`,
    too_large: t`The file is too large. It may have ${most} at most.`,
  }
}

/** Why the server did not take the file, or why it never came there. */
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
      return t`This file cannot be stored. It is damaged, locked with a password, or holds something that may do harm.`
    case 'DocumentQuotaReached':
      return t`This loan has as many documents as it may. Ask your lender to remove some.`
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
      return i18n._(failureText(error))
  }
}
