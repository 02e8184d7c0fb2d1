import { useLingui } from '@lingui/react/macro'
import { ApiError } from '#web/api/api-error.ts'

/** The server's names of the fields, and our ids. */
const fieldIds: Readonly<Record<string, string>> = {
  max_amount: 'autopay-cap',
  'account.beneficiary_name': 'autopay-name',
  'account.account_number': 'autopay-number',
  'account.ifsc_code': 'autopay-ifsc',
  consent_version: 'autopay-consent',
}

/** A refusal that the borrower can correct in one of the fields. */
export function useFieldRefusal(error: unknown): { id: string; text: string } | null {
  const { t } = useLingui()
  const { code, problem } = error instanceof ApiError ? error : {}
  const id = code === 'AutopayFieldInvalid' ? fieldIds[problem?.field ?? ''] : undefined
  if (id === undefined) return null
  return {
    id,
    text:
      id === 'autopay-consent'
        ? t`The text has changed. Close this window and open it again.`
        : t`The server did not accept this. Check it.`,
  }
}
