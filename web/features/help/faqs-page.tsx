import { useLingui } from '@lingui/react/macro'
import { usePageTitle } from '#web/page-title.ts'

/** Questions and answers. */
export function FaqsPage() {
  const { t } = useLingui()
  usePageTitle(t`FAQs`)
  return (
    <>
      <h1>{t`FAQs`}</h1>
      <p className="mt-2 max-w-[60ch]">
        {t`Your loan’s figures are on the Active loans page: what is outstanding, when the next instalment is due and how each amount is made up. If something there is not clear, write to or call customer support.`}
      </p>
    </>
  )
}
