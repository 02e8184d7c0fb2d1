import { useLingui } from '@lingui/react/macro'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { Leaf } from '#web/ui/leaf.tsx'
import { ButtonLink } from '#web/ui/links.tsx'
import { useFaqs } from './faqs.ts'

/** Questions and answers, by subject; each answer opens under its question. */
export function FaqsPage() {
  const { t } = useLingui()
  usePageTitle(t`FAQs`)
  const subjects = useFaqs()
  return (
    <>
      <h1>{t`FAQs`}</h1>
      <p className="mt-2 mb-5 max-w-[60ch]">
        {t`Your loan’s figures are on the Active loans page: what is outstanding, when the next instalment is due and how each amount is made up. If something there is not clear, write to or call customer support.`}
      </p>
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        {subjects.map(({ id, title, entries }) => (
          <Leaf key={id} labelledBy={id}>
            <h2 id={id} className="mb-2">
              {title}
            </h2>
            <div className="divide-y divide-line border-t border-rule">
              {entries.map(({ question, answer }) => (
                <Disclosure key={question} summary={<span className="flex-1">{question}</span>}>
                  <p className="max-w-[60ch] text-sm">{answer}</p>
                </Disclosure>
              ))}
            </div>
          </Leaf>
        ))}
      </div>
      <ButtonLink to={paths.customerSupport} variant="secondary" icon="phone" className="mt-5">
        {t`Ask customer support`}
      </ButtonLink>
    </>
  )
}
