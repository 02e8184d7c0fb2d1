import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { paths } from '#web/app/paths.ts'
import { LinkTabs } from '#web/ui/links.tsx'
import { countsQuery } from './operations-queries.ts'
import { useSearchKey } from './use-search-key.ts'

export type OperationsTab = 'to_approve' | 'mine' | 'decided' | 'reviews' | 'loans'

/** The heading of Operations, and its lists with what waits in them. */
export function OperationsHead({ current }: { current: OperationsTab }) {
  const { t } = useLingui()
  useSearchKey()
  const counts = useQuery(countsQuery()).data
  return (
    <>
      <h1 className="mb-1">{t`Operations`}</h1>
      <LinkTabs
        label={t`Lists of Operations`}
        tabs={[
          { to: paths.operations, label: t`To approve`, count: counts?.to_approve ?? 0, current: current === 'to_approve' },
          { to: paths.operations, search: { list: 'mine' }, label: t`Mine`, count: counts?.mine ?? 0, current: current === 'mine' },
          { to: paths.operations, search: { list: 'decided' }, label: t`Decided`, current: current === 'decided' },
          { to: paths.operationsReviews, label: t`Differences`, count: counts?.open_reviews ?? 0, current: current === 'reviews' },
          { to: paths.operationsLoans, label: t`Loans`, current: current === 'loans' },
        ]}
      />
    </>
  )
}
