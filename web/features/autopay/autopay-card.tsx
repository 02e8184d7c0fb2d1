import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Collection } from '#contract/autopay.ts'
import { FailureNote } from '#web/app/loading/failure-panel.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { type AutopayCardProps, autopayQuery } from '#web/loan/autopay.ts'
import { scheduleQuery } from '#web/loan/loan-queries.ts'
import { useRefreshAfterDebit } from '#web/loan/refresh-after-debit.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { collectionsQuery } from './autopay-queries.ts'
import { findDebitProblem, getAutopayState, isPastDebit } from './autopay-state.ts'
import { DebitHistory } from './debit-history.tsx'
import { DebitNews } from './debit-news.tsx'
import { StateBadge } from './state-badge.tsx'
import { StateBody } from './state-body.tsx'

/** Autopay of a loan: set-up, the next debit, and past debits. */
export function AutopayCard(props: AutopayCardProps) {
  const { t } = useLingui()
  const { loan } = props
  const autopay = useLoad(autopayQuery(loan, useLanguage()))
  const collections = useLoad(collectionsQuery(loan))
  const schedule = useLoad(scheduleQuery(loan))
  useRefreshAfterDebit(autopay.data)
  const failed = [autopay, collections].find(({ isError, data }) => isError && data === undefined)
  if (failed)
    return (
      <TitledCard>
        <FailureNote
          error={failed.error}
          title={t`Failed to load autopay`}
          onRetry={() => void failed.refetch()}
          isRetrying={failed.isFetching}
        />
      </TitledCard>
    )
  if (autopay.data === undefined || collections.data === undefined)
    return (
      <TitledCard>
        <LoadingText>{t`Loading autopay...`}</LoadingText>
        <Skeleton className="h-40" />
      </TitledCard>
    )
  const state = getAutopayState(autopay.data)
  const past = collections.data.filter(isPastDebit)
  if (state.kind === 'none' && past.length === 0) return null
  const problem = findDebitProblem({
    loan,
    autopay: autopay.data,
    collections: collections.data,
    rows: schedule.data?.repayment_schedule ?? [],
  })
  const mandate = 'mandate' in state ? state.mandate : null
  return (
    <TitledCard badge={<StateBadge state={state} />} isOfferOnly={state.kind === 'offered' && past.length === 0}>
      {problem && <DebitNews loan={loan} problem={problem} mandate={mandate} />}
      <StateBody state={state} {...props} />
      <Debits {...props} past={past} />
    </TitledCard>
  )
}

/** An offer alone is not printed. */
function TitledCard({ badge, isOfferOnly, children }: { badge?: ReactNode; isOfferOnly?: boolean; children: ReactNode }) {
  const { t } = useLingui()
  return (
    <Card labelledBy="autopay" {...(isOfferOnly && { className: 'print:hidden' })}>
      <CardHead id="autopay" title={t`Autopay`}>
        {badge}
      </CardHead>
      {children}
    </Card>
  )
}

function Debits({ past, ...props }: { past: readonly Collection[] } & AutopayCardProps) {
  return past.length > 0 && <DebitHistory debits={past} {...props} />
}
