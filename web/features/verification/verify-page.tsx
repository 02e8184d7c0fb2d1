import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { Wordmark } from '#web/app/brand.tsx'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Button } from '#web/ui/button.tsx'
import { describePlainField, figureInputClass, PlainField } from '#web/ui/field-parts.tsx'
import { PageSwitches } from '#web/ui/page-switches.tsx'
import { CheckResult } from './check-result.tsx'
import { useCheck } from './use-check.ts'

/**
 * Verifies a document for anyone who has it on paper. The build renders it too, so it uses neither
 * the router nor, before its effects, `window`.
 */
export function VerifyPage() {
  const { t } = useLingui()
  const { check, start } = useCheck()
  const { lender } = getPortalConfig().brand
  const input = useRef<HTMLInputElement>(null)
  usePageTitle(t`Check a document`)

  useEffect(() => {
    const given = new URLSearchParams(window.location.search).get('code')
    if (given === null || input.current === null) return
    input.current.value = given
    start(given)
  }, [start])

  const isMalformed = check.step === 'failed' && check.failure.reason === 'malformed'
  useEffect(() => {
    if (isMalformed) input.current?.focus()
  }, [check, isMalformed])

  const hint = t`16 letters and digits, at the end of the document`
  const error = isMalformed ? t`A code has 16 letters and digits, such as K7QD-2M9A-XW4T-08HC. Compare it with the document.` : null
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="on-spine bg-spine text-on-spine">
        <div className="mx-auto flex w-full max-w-160 items-center justify-between gap-3 px-4 py-1.5">
          <a href={paths.login} className="inline-flex min-h-target items-center">
            <Wordmark height={30} />
          </a>
          <PageSwitches className="flex" onSpine />
        </div>
      </header>
      <main id="main" className="mx-auto w-full max-w-160 flex-auto px-4 pt-5 pb-8 md:pt-10">
        <h1>{t`Check a document`}</h1>
        <p className="mt-1 mb-6 text-muted">{t`See whether ${lender} issued a document, and what it stated.`}</p>
        <form
          noValidate
          action={paths.verifyDocument}
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault()
            start(input.current?.value ?? '')
          }}
        >
          <PlainField id="code" label={t`Document code`} hint={hint} error={error}>
            <input
              ref={input}
              id="code"
              name="code"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              className={figureInputClass}
              {...describePlainField('code', error)}
            />
          </PlainField>
          <Button type="submit" size="lg" block state={check.step === 'checking' ? 'loading' : 'normal'}>
            {t`Check`}
          </Button>
        </form>
        <CheckResult check={check} />
      </main>
    </div>
  )
}
