import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { paths } from '#web/app/paths.ts'
import { LinkTabs } from '#web/ui/links.tsx'
import { countsQuery } from './operations-queries.ts'
import { useSearchKey } from './use-search-key.ts'

type OperationsTab = 'to_approve' | 'mine' | 'decided' | 'reviews' | 'loans'

/** The heading of Operations, and its lists with what waits in them. */
export function OperationsHead({ current }: { current: OperationsTab }) {
  const { t } = useLingui()
  useSearchKey()
  const counts = useQuery(countsQuery()).data
  const withCount = (text: string, count: number | undefined): string => (count === undefined || count === 0 ? text : `${text} (${count})`)
  return (
    <>
      <h1 className="mb-1">{t`Operations`}</h1>
      <LinkTabs
        label={t`Lists of Operations`}
        tabs={[
          { to: paths.operations, label: withCount(t`To approve`, counts?.to_approve), current: current === 'to_approve' },
          { to: paths.operations, search: { list: 'mine' }, label: withCount(t`Mine`, counts?.mine), current: current === 'mine' },
          { to: paths.operations, search: { list: 'decided' }, label: t`Decided`, current: current === 'decided' },
          { to: paths.operationsReviews, label: withCount(t`Differences`, counts?.open_reviews), current: current === 'reviews' },
          { to: paths.operationsLoans, label: t`Loans`, current: current === 'loans' },
        ]}
      />
    </>
  )
}
