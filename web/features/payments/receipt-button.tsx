import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { leadOf } from '#web/api/loans.ts'
import { usePermission } from '#web/api/session.ts'
import { useGenerate } from '#web/api/use-generate.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { GenerateFailure } from '#web/ui/generate-failure.tsx'

/** A payment's receipt, written in the language of the screen and saved. */
export function ReceiptButton({ loan, receiptNumber }: { loan: Loan; receiptNumber: string }) {
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
            query: { lead_id: leadOf(loan), doc_type: 'payment_receipt', receipt_number: receiptNumber, language },
            filename: `${t`Receipt`}_${receiptNumber}.pdf`,
          })
        }
      >
        {generate.isError ? t`Try Again` : t`Receipt`}
        <span className="sr-only"> {receiptNumber}</span>
      </ActionButton>
      {generate.isError && <GenerateFailure error={generate.error} />}
    </div>
  )
}
