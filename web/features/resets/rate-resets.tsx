import { useLingui } from '@lingui/react/macro'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import type { RateResetsProps } from '#web/loan/autopay.ts'
import { ResetBanner } from './reset-banner.tsx'
import { listShownResets, rateResetsQuery } from './reset-queries.ts'

/** What happens to the rate of a floating loan, above the loan. */
export function RateResets({ loan, RenewMandate, loading, children }: RateResetsProps) {
  const { t } = useLingui()
  const resets = useLoad(rateResetsQuery(loan))
  if (resets.isPending) return loading
  return (
    <>
      <div className="has-[>[role=alert]]:mb-4 has-[>[role=alert]]:flex has-[>[role=alert]]:flex-wrap has-[>[role=alert]]:items-center">
        <Loaded query={resets} failed={t`Failed to load changes of your interest rate`} failure="line" loading={null}>
          {(list) =>
            listShownResets(list, loan.as_of).map((reset) => (
              <ResetBanner key={reset.id} loan={loan} reset={reset} RenewMandate={RenewMandate} />
            ))
          }
        </Loaded>
      </div>
      {children}
    </>
  )
}
