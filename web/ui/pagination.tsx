import { useLingui } from '@lingui/react/macro'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'
import { getEntryRange, isPagination, listPageNumbers } from './page-numbers.ts'

type PaginationProps = {
  currentPage: number
  totalPages: number
  itemsPerPage: number
  /** The number of entries on this page. Absent: its size counts something else than entries. */
  shown?: number | undefined
  /** The number of entries on all pages. Absent: the pages before the last one are full. */
  totalItems?: number | undefined
  onPage: (page: number) => void
}

/** 'Showing X to Y of Z Entries', and links to the other pages. */
export function Pagination({ currentPage, totalPages, itemsPerPage, shown, totalItems: counted, onPage }: PaginationProps) {
  const { t, i18n } = useLingui()
  const ofLastPage = (currentPage - 1) * itemsPerPage + (shown ?? 0)
  const totalItems = counted ?? (currentPage >= totalPages ? ofLastPage : totalPages * itemsPerPage)
  if (!isPagination({ currentPage, totalPages, itemsPerPage, totalItems })) return null
  const { from, to } = getEntryRange(currentPage, itemsPerPage, shown ?? 0)
  const [first, last, all] = [i18n.number(from), i18n.number(to), i18n.number(totalItems)]
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="text-sm tabular-nums text-muted">{shown !== undefined && t`Showing ${first} to ${last} of ${all} Entries`}</p>
      {totalPages > 1 && (
        <nav aria-label={t`Pages`}>
          <ol className="-mx-1.5 flex flex-wrap md:gap-1">
            <Step label={t`Previous page`} icon="chevronLeft" page={currentPage - 1} totalPages={totalPages} onPage={onPage} />
            {listPageNumbers(currentPage, totalPages).map((page) => (
              <li key={page}>
                <button
                  type="button"
                  aria-label={t`Page ${page}`}
                  aria-current={page === currentPage ? 'page' : undefined}
                  onClick={() => page !== currentPage && onPage(page)}
                  className={cx(pageClass, page === currentPage ? 'bg-brand font-semibold text-on-brand' : 'hover:bg-sunken')}
                >
                  {page}
                </button>
              </li>
            ))}
            <Step label={t`Next page`} icon="chevronRight" page={currentPage + 1} totalPages={totalPages} onPage={onPage} />
          </ol>
        </nav>
      )}
    </div>
  )
}

const pageClass = 'grid h-target min-w-target place-items-center rounded-md px-1 text-sm tabular-nums'

type StepProps = { label: string; icon: IconName; page: number; totalPages: number; onPage: (page: number) => void }

function Step({ label, icon, page, totalPages, onPage }: StepProps) {
  const isDisabled = page < 1 || page > totalPages
  return (
    <li>
      <button
        type="button"
        aria-label={label}
        aria-disabled={isDisabled || undefined}
        onClick={() => !isDisabled && onPage(page)}
        className={cx(pageClass, isDisabled ? 'cursor-not-allowed text-muted' : 'hover:bg-sunken')}
      >
        <Icon name={icon} />
      </button>
    </li>
  )
}
