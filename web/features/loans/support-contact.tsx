import { useLingui } from '@lingui/react/macro'
import { paths } from '#web/app/paths.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { PhoneLink } from '#web/ui/contact-links.tsx'
import { ButtonLink } from '#web/ui/links.tsx'

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
