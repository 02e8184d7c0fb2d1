import { useLingui } from '@lingui/react/macro'
import { paths } from '#web/app/paths.ts'
import { Icon } from '#web/ui/icon.tsx'
import { ButtonLink } from '#web/ui/links.tsx'

/** For whoever is signed in, but not as staff (decision 14). */
export function AccessDenied() {
  const { t } = useLingui()
  return (
    <section role="alert" className="rounded-lg border border-line bg-raised px-4 py-10 text-center shadow-1">
      <Icon name="lock" size={56} className="mx-auto mb-5 text-danger" />
      <h1>{t`Access denied`}</h1>
      <p className="mx-auto mt-1 max-w-[32rem] text-muted">
        {t`This page is for the lender’s staff. Log in with the number that is registered for your work.`}
      </p>
      <ButtonLink to={paths.adminLogin} className="mt-5">
        {t`Go to staff log in`}
      </ButtonLink>
    </section>
  )
}
