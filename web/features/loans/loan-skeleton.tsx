import { useLingui } from '@lingui/react/macro'
import { Leaf } from '#web/ui/leaf.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'

/** The summary card before its figures, in the size it will have. */
export function LoanSkeleton() {
  const { t } = useLingui()
  return (
    <>
      <LoadingText>{t`Loading loans...`}</LoadingText>
      <Leaf label={t`Loading loans...`}>
        <div className="grid gap-6 md:gap-8 lg:grid-cols-[minmax(0,23rem)_minmax(0,1fr)]">
          <div>
            <Skeleton className="h-6 w-3/5" />
            <Skeleton className="my-3 h-14 w-11/12" />
            <Skeleton className="h-5 w-1/2" />
            <Skeleton className="mt-5 h-24" />
          </div>
          <div>
            <Skeleton className="mb-3 h-5 w-2/5" />
            <Skeleton className="h-30 md:h-38" />
            <Skeleton className="mt-10 h-14" />
          </div>
        </div>
        <div className="mt-5 grid grid-cols-2 gap-4 border-t border-line pt-5 md:grid-cols-4 md:gap-6">
          {['emi', 'rate', 'sanctioned', 'left'].map((fact) => (
            <Skeleton key={fact} className="h-18" />
          ))}
        </div>
      </Leaf>
    </>
  )
}
