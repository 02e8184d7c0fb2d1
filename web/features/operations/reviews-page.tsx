import { useLingui } from '@lingui/react/macro'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ToggleField } from '#web/ui/choice-field.tsx'
import { Card } from '#web/ui/card.tsx'
import { useExistingPage } from '#web/ui/list-search.ts'
import { OperationDialog } from './operation-dialog.tsx'
import { OperationsHead } from './operations-head.tsx'
import { type Review, reviewsQuery } from './operations-queries.ts'
import { ListSkeleton } from './page-skeletons.tsx'
import { Pages } from './queue-page.tsx'
import type { QueueQuery } from './queue-state.ts'
import { ReviewItem } from './review-item.tsx'
import { reviewText } from './review-texts.ts'

type ReviewsPageProps = { query: QueueQuery; onQuery: (query: QueueQuery, replace?: boolean) => void }

/** Differences with the provider, each with what it means and what may be done. */
export function ReviewsPage({ query, onQuery }: ReviewsPageProps) {
  const { t, i18n } = useLingui()
  usePageTitle(t`Differences`)
  const mayPropose = usePermission('operations:propose')
  const [resolving, setResolving] = useState<Review | null>(null)
  const isResolved = query.list === 'resolved'
  const page = query.page ?? 1
  const reviews = useLoad({ ...reviewsQuery(query), placeholderData: keepPreviousData })
  useExistingPage(page, reviews, (last) => onQuery({ ...query, page: last }, true))
  return (
    <>
      <OperationsHead current="reviews" />
      <Loaded query={reviews} loading={<ListSkeleton />}>
        {({ items, total_pages: pages }) => (
          <Card label={t`Differences`}>
            <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4">
              <p className="max-w-[60ch] text-sm text-muted">
                {t`Where the payment provider and our ledger disagree, and no rule decides. A person settles each one.`}
              </p>
              <ToggleField
                label={t`Show resolved ones`}
                checked={isResolved}
                onChange={(checked) => onQuery(checked ? { list: 'resolved' } : {})}
              />
            </div>
            {items.length === 0 && (
              <p className="border-t border-rule pt-4 text-muted">
                {isResolved ? t`No differences have been resolved yet.` : t`No differences to settle.`}
              </p>
            )}
            <ol className="border-t border-rule empty:hidden">
              {items.map((review) => (
                <ReviewItem key={review.review_id} review={review} mayPropose={mayPropose} onResolve={() => setResolving(review)} />
              ))}
            </ol>
            <Pages page={page} pages={pages} shown={items.length} onPage={(next) => onQuery({ ...query, page: next })} />
          </Card>
        )}
      </Loaded>
      {resolving && (
        <OperationDialog
          kind="review_resolve"
          lan={null}
          hasBorrower={resolving.borrower_name !== null}
          subject={[i18n._(reviewText[resolving.kind].title), resolving.borrower_name, resolving.lan].filter(Boolean).join(', ')}
          values={{ review_id: resolving.review_id }}
          onClose={() => setResolving(null)}
        />
      )}
    </>
  )
}
