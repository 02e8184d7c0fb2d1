import { useLingui } from '@lingui/react/macro'
import { getPortalConfig } from '#web/portal-config.ts'
import { linkClass } from '#web/ui/link-class.ts'
import { TextLink } from '#web/ui/links.tsx'
import { useMenuEntries } from './menu-entries.ts'

/** Who the lender is, whom to complain to, and the pages that are not in the sidebar. */
export function Footer() {
  const { t } = useLingui()
  const { account } = useMenuEntries()
  const { brand, grievance_officer: officer } = getPortalConfig()
  return (
    <footer className="mt-auto border-t border-line px-4 py-5 text-xs text-muted md:px-5 lg:px-8 print:hidden">
      {brand.lender && <p>{t`Your lender: ${brand.lender}. Repayments go straight to the lender’s account.`}</p>}
      {officer.name && (
        <p className="flex flex-wrap items-center gap-x-5">
          {t`Grievance officer: ${officer.name}`}
          {officer.phone && (
            <a
              href={`tel:${officer.phone.replace(/[^+\d]/g, '')}`}
              className={`${linkClass} inline-flex min-h-target items-center tabular-nums`}
            >
              {officer.phone}
            </a>
          )}
          {officer.email && (
            <a href={`mailto:${officer.email}`} className={`${linkClass} inline-flex min-h-target items-center`}>
              {officer.email}
            </a>
          )}
        </p>
      )}
      <ul className="flex flex-wrap gap-x-5 [&>li:first-child>a]:justify-start">
        {account.map((entry) => (
          <li key={entry.to}>
            <TextLink to={entry.to} className="inline-flex min-h-target min-w-target items-center justify-center">
              {entry.label}
            </TextLink>
          </li>
        ))}
      </ul>
    </footer>
  )
}
