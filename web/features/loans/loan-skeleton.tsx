import { useLingui } from '@lingui/react/macro'
import type { LoanTab } from '#web/app/paths.ts'
import { Card } from '#web/ui/card.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'

/** A loading tab in the size it will have, so that nothing below it moves. */
export function LoanSkeleton({ tab }: { tab: LoanTab }) {
  const { t } = useLingui()
  const text = <LoadingText>{t`Loading loans...`}</LoadingText>
  if (tab !== 'loan-details') {
    return (
      <>
        {text}
        <TallSkeleton />
      </>
    )
  }
  return (
    <Card label={t`Loading loans...`} className="min-h-243 md:min-h-217 lg:min-h-150">
      {text}
      <div className="grid gap-6 md:gap-8 lg:grid-cols-[minmax(0,23rem)_minmax(0,1fr)]">
        <div>
          <Skeleton className="h-58.5 lg:h-63.25" />
          <Skeleton className="mt-4 h-32" />
        </div>
        <Skeleton className="h-60 md:h-67 lg:h-89" />
      </div>
      <div className="mt-5 grid grid-cols-2 gap-4 border-t border-line pt-5 md:grid-cols-4 md:gap-6">
        {['emi', 'rate', 'sanctioned', 'left'].map((fact) => (
          <Skeleton key={fact} className="h-18" />
        ))}
      </div>
    </Card>
  )
}

/** Taller than any screen, as the tabs of payments and documents are. */
export const TallSkeleton = () => <Skeleton className="h-300 rounded-lg" />

export const CardSkeleton = () => <Skeleton className="h-80 rounded-lg" />
