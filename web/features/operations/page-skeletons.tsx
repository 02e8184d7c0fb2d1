import { useLingui } from '@lingui/react/macro'
import { paths } from '#web/app/paths.ts'
import { Card } from '#web/ui/card.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { focusPartWhenRemoved } from '#web/ui/move-focus.ts'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { OperationsHead, type OperationsTab } from './operations-head.tsx'

/** The place of a list while it loads. */
export function ListSkeleton() {
  const { t } = useLingui()
  return (
    <Card label={t`Loading`}>
      <LoadingText>{t`Loading the list...`}</LoadingText>
      <div className="space-y-3">
        {Array.from({ length: 5 }, (_, row) => (
          <Skeleton key={row} className="h-8 w-full" />
        ))}
      </div>
    </Card>
  )
}

/** A list of Operations before its data, for the drawn page. */
export const ListPageSkeleton = ({ current }: { current: OperationsTab }) => (
  <>
    <OperationsHead current={current} />
    <ListSkeleton />
  </>
)

/** A loan or a proposal while it loads. */
export function RecordSkeleton() {
  const { t } = useLingui()
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink to={paths.operations}>{t`Operations`}</TextLink>
      </p>
      <h1 ref={focusPartWhenRemoved} className="sr-only">{t`Operations`}</h1>
      <LoadingText>{t`Loading...`}</LoadingText>
      <Skeleton className="mb-4 h-16 md:w-[26rem]" />
      <Skeleton className="h-96 rounded-lg" />
    </>
  )
}
