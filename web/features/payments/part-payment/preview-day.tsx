import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { formatDay } from '#web/ui/format.ts'
import type { PartPaymentPreview } from './use-part-payment-preview.ts'

/** From 23:30 a preview is for the next day (decision 55): it says so, and what paying before midnight changes. */
export function PreviewDay({ loan, preview }: { loan: Loan; preview: PartPaymentPreview | null }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (preview === null || preview.as_of === loan.as_of) return null
  const day = formatDay(preview.as_of, language)
  return (
    <p className="text-sm text-muted">
      {t`These figures are for ${day}. A payment before midnight counts from today and saves one more day of interest.`}
    </p>
  )
}
