import { useLingui } from '@lingui/react/macro'
import { paths } from '#web/app/paths.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { EmptyState } from '#web/ui/card.tsx'
import { PhoneLink } from '#web/ui/contact-links.tsx'
import { ButtonLink } from '#web/ui/links.tsx'

/** Shown to somebody without a loan, with the next step. */
export function NoLoans() {
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

/** The page of customer support, and its phone. */
export function SupportContact() {
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
