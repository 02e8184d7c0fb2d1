import { useLingui } from '@lingui/react/macro'
import { readUser } from '#contract/staff.ts'
import { call } from '#web/api/call.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { Button } from '#web/ui/button.tsx'

/**
 * The whole PAN of the person shown, read when the page opens and kept in memory only while it is open (decision 61). Each reading by staff is
 * an entry in the borrower's access log, so it is read once per opening.
 */
export function Pan({ personId }: { personId: string }) {
  const { t } = useLingui()
  const read = useLoad({
    queryKey: ['profile', personId],
    queryFn: ({ signal }) => call(readUser, { params: { user_id: personId } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (read.isPending) return <span role="status" className="text-muted">{t`Loading the PAN...`}</span>
  if (read.isError)
    return (
      <>
        <span role="alert" className="text-muted">{t`The PAN could not be loaded.`}</span>
        <Button
          variant="quiet"
          size="sm"
          className="-mr-3"
          icon="retry"
          state={read.isFetching ? 'loading' : 'normal'}
          onClick={() => void read.refetch()}
        >
          {t`Try again`}
        </Button>
      </>
    )
  const { pan } = read.data.user
  return pan ? <span className="flex-auto font-semibold tabular-nums">{pan}</span> : <span className="text-muted">{t`Not provided`}</span>
}
