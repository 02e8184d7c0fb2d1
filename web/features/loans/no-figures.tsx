import { useLingui } from '@lingui/react/macro'
import { paths } from '#web/app/paths.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Card, CardHead, EmptyState } from '#web/ui/card.tsx'
import { PhoneLink } from '#web/ui/contact-links.tsx'
import { ButtonLink } from '#web/ui/links.tsx'

/** Shown to somebody without a loan, and for a loan whose status is UNKNOWN. */
export const NoFigures = ({ isChecked = false }: { isChecked?: boolean }) => (isChecked ? <CheckedLoan /> : <NoLoans />)

function NoLoans() {
  const { t } = useLingui()
  return (
    <EmptyState title={t`No Loans Found`} action={<AskSupport />}>
      {t`You currently don't have any active loans. When you take a loan, it will appear here.`}
    </EmptyState>
  )
}

function AskSupport() {
  const { t } = useLingui()
  return (
    <>
      <p className="mb-3 text-sm">{t`Do you have a loan that is not shown, or want to apply for one? We can help.`}</p>
      <SupportContact />
    </>
  )
}

/** The figures of such a loan count no payment. */
function CheckedLoan() {
  const { t } = useLingui()
  return (
    <Card labelledBy="checked-loan" className="mb-4 md:mb-5">
      <CardHead id="checked-loan" title={t`Your lender is checking this loan`} />
      <p className="mb-3">{t`Its figures are not final, and you cannot start a payment here until the check is over. If an instalment is due, contact us.`}</p>
      <SupportContact />
    </Card>
  )
}

/** The page of customer support, and its phone. */
function SupportContact() {
  const { t } = useLingui()
  const { phone } = getPortalConfig().support
  return (
    <>
      <ButtonLink to={paths.customerSupport}>{t`Contact support`}</ButtonLink>
      {phone !== '' && (
        <p className="mt-2">
          <PhoneLink phone={phone} className="inline-flex min-h-target items-center" />
        </p>
      )}
    </>
  )
}
