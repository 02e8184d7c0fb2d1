import { useLingui } from '@lingui/react/macro'
import { usePageTitle } from '#web/page-title.ts'

/** The application that is still being decided. */
export function ApplicationPage() {
  const { t } = useLingui()
  usePageTitle(t`Ongoing application`)
  return (
    <>
      <h1>{t`Ongoing application`}</h1>
      <p className="mt-2 max-w-[60ch]">
        {t`Your lender is working on your application and will tell you by SMS when a decision is made. Once the loan is sanctioned, it appears under Active loans.`}
      </p>
    </>
  )
}
