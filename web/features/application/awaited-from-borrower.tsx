import { Trans, useLingui } from '@lingui/react/macro'
import type { Application } from '#contract/applications.ts'
import { paths } from '#web/app/paths.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { Leaf } from '#web/ui/leaf.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { awaitedText } from './application-texts.ts'

/** What is wanted of the borrower, and where it goes; or that the turn is the lender's. */
export function AwaitedFromBorrower({ application }: { application: Application }) {
  const { t, i18n } = useLingui()
  const awaited = application.awaited_from_borrower
  return (
    <Leaf labelledBy="awaited">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="awaited">{t`Needed from you`}</h2>
        {awaited.length > 0 ? <Badge tone="caution">{t`Your turn`}</Badge> : <Badge tone="positive">{t`Nothing to do`}</Badge>}
      </div>
      {awaited.length === 0 ? (
        <p className="text-muted">{t`Your lender has everything for now.`}</p>
      ) : (
        <>
          <ul className="border-t border-rule">
            {awaited.map((name) => (
              <li key={name} className="flex min-h-target items-center gap-3 border-b border-line py-2">
                <Icon name="document" className="flex-none text-muted" />
                <span className="font-medium">{i18n._(awaitedText[name])}</span>
              </li>
            ))}
          </ul>
          <p className="mt-3 text-sm text-muted">
            <Trans>
              Send these to your lender, with your application number. <TextLink to={paths.customerSupport}>Customer support</TextLink>{' '}
              tells you how.
            </Trans>
          </p>
        </>
      )}
    </Leaf>
  )
}
