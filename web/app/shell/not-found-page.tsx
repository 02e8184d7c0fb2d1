import { useLingui } from '@lingui/react/macro'
import { BrandMark, Wordmark } from '#web/app/brand.tsx'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { isSignedIn, useSession } from '#web/session/session.ts'
import { ButtonLink } from '#web/ui/links.tsx'
import { SignedInShell } from './app-shell.tsx'

/** Shown for an unknown path: inside the shell if somebody is signed in, else alone. */
export function NotFoundPage() {
  // Signing out in another tab also changes this page.
  const { token } = useSession()
  if (token === null || !isSignedIn()) {
    return (
      <div className="flex min-h-dvh flex-col">
        <div className="on-spine flex min-h-bar items-center bg-spine px-4 text-on-spine">
          <Wordmark height={26} />
        </div>
        <main id="main" className="mx-auto w-full max-w-content p-4 md:p-8">
          <NotFound />
        </main>
      </div>
    )
  }
  return (
    <SignedInShell>
      <NotFound />
    </SignedInShell>
  )
}

function NotFound() {
  const { t } = useLingui()
  usePageTitle(t`Page not found`)
  return (
    <div className="rounded-lg border border-line bg-raised px-4 py-12 text-center shadow-1">
      <div className="mx-auto mb-5 w-fit text-line-strong">
        <BrandMark size={64} />
      </div>
      <h1>{t`Page not found`}</h1>
      <p className="mt-1 text-muted">{t`Please contact support for help`}</p>
      <ButtonLink to={paths.index} className="mt-5">
        {t`Go to home`}
      </ButtonLink>
    </div>
  )
}
