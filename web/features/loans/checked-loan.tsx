import { useLingui } from '@lingui/react/macro'
import { Banner } from '#web/ui/banner.tsx'
import { Card } from '#web/ui/card.tsx'
import { SupportContact } from './support-contact.tsx'

/** In place of the figures of a loan whose status is UNKNOWN: they count no payment. */
export function CheckedLoan() {
  const { t } = useLingui()
  return (
    <Banner tone="info">
      <h2 className="text-base font-semibold">{t`Your lender is checking this loan`}</h2>
      <p className="mb-3">{t`Its figures are not final. Until they are, nothing can be paid here.`}</p>
      <SupportContact />
    </Banner>
  )
}

/** The same above the loan's payments, in a card of its own. */
export function CheckedLoanCard() {
  const { t } = useLingui()
  return (
    <Card label={t`Being checked`} className="mb-4 md:mb-5">
      <CheckedLoan />
    </Card>
  )
}
