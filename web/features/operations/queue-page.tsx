import { useLingui } from '@lingui/react/macro'
import { keepPreviousData } from '@tanstack/react-query'
import { Suspense } from 'react'
import { operationsPageSize } from '#contract/operations.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { Card } from '#web/ui/card.tsx'
import { cx } from '#web/ui/class-names.ts'
import { PathLink } from '#web/ui/links.tsx'
import { useExistingPage } from '#web/ui/list-search.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { Pagination } from '#web/ui/pagination.tsx'
import { kindTexts } from './kind-texts.ts'
import { OperationsHead } from './operations-head.tsx'
import { type Queue, queueQuery } from './operations-queries.ts'
import { ListSkeleton } from './page-skeletons.tsx'
import { ProposalTable } from './proposal-table.tsx'
import type { QueueQuery } from './queue-state.ts'

/** For those who propose, below the list. */
const RatesCard = createLazyPart(async () => (await import('./rates-card.tsx')).RatesCard)

type QueuePageProps = { query: QueueQuery; onQuery: (query: QueueQuery, replace?: boolean) => void }

/** The proposals: to approve, of one's own, decided. */
export function QueuePage({ query, onQuery }: QueuePageProps) {
  const { t } = useLingui()
  usePageTitle(t`Operations`)
  const list = query.list === 'mine' || query.list === 'decided' ? query.list : 'to_approve'
  const queue = useLoad({ ...queueQuery(query), placeholderData: keepPreviousData })
  useExistingPage(query.page ?? 1, queue, (last) => onQuery({ ...query, page: last }, true))
  return (
    <>
      <OperationsHead current={list} />
      <Loaded query={queue} loading={<ListSkeleton />}>
        {(data) => (
          <>
            <Card label={{ to_approve: t`To approve`, mine: t`Mine`, decided: t`Decided` }[list]}>
              {list === 'to_approve' && <KindFilter queue={data} chosen={query.kind} />}
              <QueueList queue={data} query={query} list={list} onQuery={onQuery} />
            </Card>
            {list !== 'decided' && (
              <Suspense>
                <RatesCard />
              </Suspense>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

type QueueListProps = { queue: Queue; query: QueueQuery; list: 'to_approve' | 'mine' | 'decided'; onQuery: QueuePageProps['onQuery'] }

function QueueList({ queue, query, list, onQuery }: QueueListProps) {
  const { t } = useLingui()
  const empty = {
    to_approve: query.kind === undefined ? t`No proposals are waiting for a decision.` : t`No proposal of this kind is waiting.`,
    mine: t`You have not proposed anything yet. Open a loan and choose what to do.`,
    decided: t`No proposals have been decided yet.`,
  }[list]
  return (
    <>
      <ProposalTable label={t`Proposals`} proposals={queue.items} empty={empty} />
      <Pages page={query.page ?? 1} pages={queue.total_pages} shown={queue.items.length} onPage={(page) => onQuery({ ...query, page })} />
    </>
  )
}

type PagesProps = { page: number; pages: number; shown?: number; onPage: (page: number) => void }

/** The pages of a list of Operations; nothing if there is one page. */
export const Pages = ({ page, pages, shown, onPage }: PagesProps) =>
  pages > 1 && <Pagination currentPage={page} totalPages={pages} itemsPerPage={operationsPageSize} shown={shown} onPage={onPage} />

/** The open proposals of one kind, with how many there are of each. */
function KindFilter({ queue: { counts }, chosen }: { queue: Queue; chosen: QueueQuery['kind'] }) {
  const { t, i18n } = useLingui()
  if (counts.by_kind.length < 2 && chosen === undefined) return null
  const choices = [
    { key: 'all', label: t`All kinds`, count: counts.proposed, search: {}, isChosen: chosen === undefined },
    ...counts.by_kind.map(({ kind, proposed }) => ({
      key: kind as string,
      label: i18n._(kindTexts[kind].name),
      count: proposed,
      search: { kind },
      isChosen: kind === chosen,
    })),
  ]
  return (
    <nav aria-label={t`Kinds`} className="mb-4 flex flex-wrap gap-2">
      {choices.map(({ key, label, count, search, isChosen }) => (
        <PathLink
          key={key}
          to={paths.operations}
          search={search}
          aria-current={isChosen ? 'true' : undefined}
          className={cx(
            'inline-flex min-h-target items-center gap-1.5 rounded-full border px-4 text-sm no-underline',
            isChosen
              ? 'border-brand bg-brand-soft font-semibold text-on-brand-soft'
              : 'border-line-strong bg-raised text-ink hover:border-brand',
          )}
        >
          {label} <span className="tabular-nums">({count})</span>
        </PathLink>
      ))}
    </nav>
  )
}
