import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { ResetBanner } from './reset-banner.tsx'
import { listShownResets, rateResetsQuery } from './reset-queries.ts'

type RateResetsProps = {
  loan: Loan
  /** Stands for all of it while it loads, so that the banner moves nothing. */
  loading: ReactNode
  /** The loan, below its new rates. */
  children: ReactNode
}

/** What happens to the rate of a floating loan, above the loan. */
export function RateResets({ loan, loading, children }: RateResetsProps) {
  const { t } = useLingui()
  const resets = useLoad(rateResetsQuery(loan))
  if (resets.isPending) return loading
  return (
    <>
      <div className="has-[>[role=alert]]:mb-4 has-[>[role=alert]]:flex has-[>[role=alert]]:flex-wrap has-[>[role=alert]]:items-center">
        <Loaded query={resets} failed={t`Failed to load changes of your interest rate`} failure="line" loading={null}>
          {(list) => listShownResets(list, loan.as_of).map((reset) => <ResetBanner key={reset.id} loan={loan} reset={reset} />)}
        </Loaded>
      </div>
      {children}
    </>
  )
}
