import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { GenerateFailure, getGenerateState, useGenerate } from '#web/loan/generate-document.tsx'
import { getLeadId } from '#web/loan/loan-queries.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'

type ReceiptButtonProps = {
  loan: Pick<Loan, 'lan' | 'lead_id'>
  receiptNumber: string
  /** One of several receipts: shows its place among the loan's receipts. */
  isNumbered: boolean
  /** The main thing to take from a screen, rather than one of a row's buttons. */
  isProminent?: boolean
}

/** Generates a payment's receipt in the language of the screen and saves it. */
export function ReceiptButton({ loan, receiptNumber, isNumbered, isProminent = false }: ReceiptButtonProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const permission = usePermission('document:read')
  const generate = useGenerate()
  const state = getGenerateState(generate)
  return (
    <div className="print:hidden">
      <ActionButton
        variant={isProminent ? 'secondary' : 'quiet'}
        size={isProminent ? 'md' : 'sm'}
        block={isProminent}
        icon="download"
        permission={permission}
        state={state}
        onClick={() =>
          generate.mutate({
            query: { lead_id: getLeadId(loan), doc_type: 'payment_receipt', receipt_number: receiptNumber, language },
            filename: `${t`Receipt`}_${receiptNumber}.pdf`,
          })
        }
      >
        {state === 'error' ? t`Try Again` : isProminent ? t`Download receipt` : t`Receipt`}
        {isNumbered && <span aria-hidden="true">{receiptNumber.replace(`${loan.lan}-`, '')}</span>}
        <span className="sr-only"> {receiptNumber}</span>
      </ActionButton>
      {generate.isError && <GenerateFailure error={generate.error} />}
    </div>
  )
}
