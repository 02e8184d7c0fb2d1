import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { GenerateFailure, useGenerate } from '#web/loan/generate-document.tsx'
import { getLeadId } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'

type ReceiptButtonProps = {
  loan: Loan
  receiptNumber: string
  /** One of several receipts: shows its number. */
  isNumbered: boolean
}

/** Generates a payment's receipt in the language of the screen and saves it. */
export function ReceiptButton({ loan, receiptNumber, isNumbered }: ReceiptButtonProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const permission = usePermission('document:read')
  const generate = useGenerate()
  return (
    <div className="print:hidden">
      <ActionButton
        variant="quiet"
        size="sm"
        icon="download"
        permission={permission}
        state={generate.isPending ? 'loading' : generate.isError ? 'error' : 'normal'}
        onClick={() =>
          generate.mutate({
            query: { lead_id: getLeadId(loan), doc_type: 'payment_receipt', receipt_number: receiptNumber, language },
            filename: `${t`Receipt`}_${receiptNumber}.pdf`,
          })
        }
      >
        {generate.isError ? t`Try Again` : t`Receipt`}
        <span className={isNumbered ? '' : 'sr-only'}> {receiptNumber}</span>
      </ActionButton>
      {generate.isError && <GenerateFailure error={generate.error} />}
    </div>
  )
}
