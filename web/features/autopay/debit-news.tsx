import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Collection, Mandate } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { getFailureCause, type DebitProblem } from './autopay-state.ts'
import { failureText } from './autopay-texts.ts'

const RetryDialog = createLazyPart(async () => (await import('./retry-dialog.tsx')).RetryDialog)

type DebitNewsProps = { loan: Loan; problem: DebitProblem; mandate: Mandate | null }

/** A debit that failed or will not happen, with what the borrower can do. */
export function DebitNews({ loan, problem, mandate }: DebitNewsProps) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const { debit } = problem
  const [amount, day] = [formatMoney(debit.amount), formatDay(debit.debit_on, language)]
  if (problem.kind === 'cap_too_low') {
    const limit = mandate === null ? '' : formatMoney(mandate.debit_limit)
    return (
      <Banner tone="caution" icon="alert" className="mb-4">
        <p className="font-semibold">{t`${amount}, due on ${day}, is above your limit of ${limit}`}</p>
        <p>{t`It will not be debited: pay it yourself. For a higher limit, end autopay and set it up again.`}</p>
        <div className="mt-2">
          <PayYourself />
        </div>
      </Banner>
    )
  }
  return (
    <Banner tone="danger" className="mb-4">
      <p className="font-semibold">{t`The debit of ${amount} on ${day} did not go through`}</p>
      <p>
        {i18n._(failureText[getFailureCause(debit)])}{' '}
        {problem.isRetried
          ? t`It is tried once more, as shown below. You can also pay it yourself until then.`
          : debit.retry === null
            ? t`Pay it yourself.`
            : t`Pay it yourself, or choose a day for another debit.`}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <PayYourself />
        {!problem.isRetried && debit.retry !== null && <Retry loan={loan} debit={debit} />}
      </div>
    </Banner>
  )
}

/** Leads to the payment options of the tab. */
function PayYourself() {
  const { t } = useLingui()
  const go = (): void => {
    const heading = document.getElementById('make-payment')
    if (heading === null) return
    heading.focus()
    heading.scrollIntoView({ block: 'start' })
  }
  return (
    <Button size="sm" variant="secondary" onClick={go}>
      {t`Pay it yourself`}
    </Button>
  )
}

function Retry({ loan, debit }: { loan: Loan; debit: Collection }) {
  const { t } = useLingui()
  const permission = usePermission('mandate:update')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <ActionButton size="sm" variant="secondary" permission={permission} onClick={() => setIsOpen(true)}>
        {t`Choose a day`}
      </ActionButton>
      {isOpen && debit.retry !== null && (
        <Suspense>
          <RetryDialog loan={loan} debit={debit} days={debit.retry} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
