import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { formatDay } from '#web/ui/format.ts'
import { usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { isPaidByBorrower, type AutopayState } from './autopay-state.ts'
import { getEndText } from './autopay-texts.ts'
import { SetUpDialog } from './lazy-dialogs.ts'

type OfferedProps = { loan: Loan; state: Extract<AutopayState, { kind: 'offered' | 'ended' }> }

/** How the last mandate ended, and the offer of a new one. */
export function Offered({ loan, state }: OfferedProps) {
  const { t, i18n } = useLingui()
  const ended = state.kind === 'ended' ? state.mandate : state.ended
  return (
    <>
      {ended && (
        <Banner tone="info" className="mb-4">
          {i18n._(getEndText(ended))}
          {isPaidByBorrower(loan, ended) && ` ${t`Your EMIs stay due: pay them yourself.`}`}
        </Banner>
      )}
      {state.kind === 'offered' && <Offer loan={loan} offer={state.offer} />}
    </>
  )
}

function Offer({ loan, offer }: { loan: Loan; offer: Extract<AutopayState, { kind: 'offered' }>['offer'] }) {
  const { t } = useLingui()
  const language = useLanguage()
  const permission = usePermission('mandate:create')
  const [isOpen, setIsOpen] = useState(false)
  usePreloadWhenIdle(SetUpDialog)
  const firstDay = formatDay(offer.first_debit_on, language)
  return (
    <div className="flex flex-col gap-4 md:flex-row md:items-center md:justify-between">
      <div className="max-w-[36rem] text-sm">
        <p>{t`Let your EMI be debited on its due date, so that none is late.`}</p>
        <p className="mt-1 text-muted">
          {t`You are told the amount two days before. You can skip, pause or cancel, and still pay an EMI yourself. Autopay is free. First debit: ${firstDay}.`}
        </p>
      </div>
      <div className="flex-none">
        <ActionButton variant="secondary" permission={permission} className="max-md:w-full" onClick={() => setIsOpen(true)}>
          {t`Set up autopay`}
        </ActionButton>
      </div>
      {/* Mounted when opened, so that what was typed is gone when it is closed. */}
      {isOpen && (
        <Suspense>
          <SetUpDialog loan={loan} offer={offer} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
