import { useLingui } from '@lingui/react/macro'
import { Card, CardHead } from '#web/ui/card.tsx'
import { SupportContact } from './no-loans.tsx'

/** In place of the summary of a loan whose status is UNKNOWN: its figures count no payment. */
export function CheckedLoan() {
  const { t } = useLingui()
  return (
    <Card labelledBy="checked-loan" className="mb-4 md:mb-5">
      <CardHead id="checked-loan" title={t`Your lender is checking this loan`} />
      <p className="mb-3">{t`Its figures are not final. Until they are, no payment can be started here.`}</p>
      <SupportContact />
    </Card>
  )
}
