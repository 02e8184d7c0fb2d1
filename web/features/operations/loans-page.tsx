import { useLingui } from '@lingui/react/macro'
import { keepPreviousData } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { getOperationsLoanPath } from '#web/app/paths.ts'
import { DpdBadge } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { LoanStatusBadge } from '#web/loan/status-badges.tsx'
import { Card } from '#web/ui/card.tsx'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { type ListQuery, buildPageQuery, buildSearchQuery, tidySearch, useExistingPage, useSearchText } from '#web/ui/list-search.ts'
import { TextLink } from '#web/ui/links.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { OperationsHead } from './operations-head.tsx'
import { type FoundLoan, foundLoansQuery } from './operations-queries.ts'
import { ListSkeleton } from './page-skeletons.tsx'
import { Pages } from './queue-page.tsx'
import { searchId, useSearchFocus } from './use-search-key.ts'

type LoansPageProps = { query: ListQuery; onSearch: (query: ListQuery) => void; onPage: (query: ListQuery, replace?: boolean) => void }

/** Finds loans by account number, phone or name. If only one is found, Enter opens it. */
export function LoansPage({ query, onSearch, onPage }: LoansPageProps) {
  const { t } = useLingui()
  const router = useRouter()
  usePageTitle(t`Find a loan`)
  useSearchFocus()
  const { search = '', page = 1 } = query
  const searchBox = useSearchText(search, (text) => onSearch(buildSearchQuery(text)))
  const loans = useLoad({ ...foundLoansQuery(search, page), placeholderData: keepPreviousData })
  useExistingPage(page, loans, (last) => onPage(buildPageQuery(query, last), true))
  // The search after which Enter was pressed.
  const submitted = useRef<string | null>(null)

  // Enter may be pressed before the answer arrives: the loan then opens after it.
  const openOnly = () => {
    const [only, ...others] = loans.data?.items ?? []
    if (submitted.current === null || submitted.current !== search || loans.isPlaceholderData || !loans.data) return
    submitted.current = null
    if (only && others.length === 0 && loans.data.total_pages === 1) router.history.push(getOperationsLoanPath(only.lan))
  }
  useEffect(openOnly)

  return (
    <>
      <OperationsHead current="loans" />
      <Card label={t`Search and results`}>
        <div className="mb-4 md:w-[26rem]">
          <SearchField
            id={searchId}
            label={t`Search by account number, phone or name`}
            value={searchBox.text}
            onChange={(text) => {
              submitted.current = null
              searchBox.setText(text)
            }}
            onSubmit={() => {
              submitted.current = tidySearch(searchBox.text)
              searchBox.commit()
              openOnly()
            }}
            maxLength={100}
          />
        </div>
        <Loaded query={loans} failed={t`Failed to load loans`} failure="note" loading={<ListSkeleton />}>
          {({ items, total_pages: pages }) => (
            <>
              <FoundLoans loans={items} search={search} />
              <Pages page={page} pages={pages} onPage={(next) => onPage(buildPageQuery(query, next))} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}

function FoundLoans({ loans, search }: { loans: readonly FoundLoan[]; search: string }) {
  const { t } = useLingui()
  const columns = useLoanColumns()
  return (
    <DataTable
      label={t`Loans`}
      columns={columns}
      rows={loans}
      rowKey={({ lan }) => lan}
      empty={search === '' ? t`There are no loans yet.` : t`No loan matches “${search}”.`}
    />
  )
}

/** On phones a row shows borrower and status above number and dues. */
function useLoanColumns(): Column<FoundLoan>[] {
  const { t } = useLingui()
  return [
    {
      key: 'borrower',
      header: t`Borrower`,
      phone: 'title',
      strong: true,
      cell: ({ lan, borrower }) => (
        <TextLink to={getOperationsLoanPath(lan)} className="max-md:after:absolute max-md:after:inset-0">
          {borrower.name}
          <span className="sr-only"> {lan}</span>
        </TextLink>
      ),
    },
    { key: 'lan', header: t`Loan number`, phone: 'figure', cell: ({ lan }) => <span className="whitespace-nowrap">{lan}</span> },
    {
      key: 'phone',
      header: t`Phone`,
      phone: 'hidden',
      cell: ({ borrower }) => <span className="whitespace-nowrap">{formatPhone(borrower.phone)}</span>,
    },
    { key: 'dues', header: t`Dues`, align: 'end', phone: 'note', names: true, cell: ({ dues }) => <Money amount={dues} /> },
    {
      key: 'principal',
      header: t`Principal outstanding`,
      align: 'end',
      wideOnly: true,
      phone: 'hidden',
      cell: ({ principal_outstanding: amount }) => <Money amount={amount} />,
    },
    {
      key: 'open',
      header: t`Proposals`,
      align: 'end',
      phone: 'hidden',
      cell: ({ open_proposals: open }) => (open === 0 ? <span className="text-muted">–</span> : open),
    },
    {
      key: 'status',
      header: t`Status`,
      align: 'end',
      phone: 'aside',
      cell: ({ loan_status: status, dpd }) =>
        status === 'OVERDUE' ? <DpdBadge dpd={dpd} /> : <LoanStatusBadge status={status} dpd={dpd} />,
    },
  ]
}
