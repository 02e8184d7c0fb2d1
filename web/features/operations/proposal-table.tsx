import { useLingui } from '@lingui/react/macro'
import type { Proposal } from '#contract/operations.ts'
import { getProposalPath } from '#web/app/paths.ts'
import { InstantText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { kindTexts } from './kind-texts.ts'
import { AgeText, ProposalBadge, useOpenedAtMs } from './proposal-badge.tsx'
import { isUrgent } from './queue-state.ts'

type ProposalTableProps = {
  label: string
  proposals: readonly Proposal[]
  empty: string
  /** On the page of a loan its borrower and number are above the table. */
  ofOneLoan?: boolean
}

/** Proposals in rows; each leads to its page. */
export function ProposalTable({ label, proposals, empty, ofOneLoan = false }: ProposalTableProps) {
  const columns = useProposalColumns(ofOneLoan)
  return <DataTable label={label} columns={columns} rows={proposals} rowKey={({ id }) => id} empty={empty} />
}

function useProposalColumns(ofOneLoan: boolean): Column<Proposal>[] {
  const { t, i18n } = useLingui()
  const borrower: Column<Proposal> = {
    key: 'borrower',
    header: t`Borrower`,
    isEmpty: ({ lan }) => lan === null,
    cell: ({ borrower_name: name, lan }) => (
      <>
        {name ?? '–'} {lan !== null && <span className="block whitespace-nowrap text-xs text-muted max-md:inline">{lan}</span>}
      </>
    ),
  }
  return [
    {
      key: 'kind',
      header: t`Proposal`,
      phone: 'title',
      strong: true,
      cell: ({ id, kind, borrower_name: name }) => (
        <TextLink to={getProposalPath(id)} className="max-md:inline-flex max-md:min-h-target max-md:items-center">
          {i18n._(kindTexts[kind].name)}
          {name !== null && !ofOneLoan && <span className="sr-only">, {name}</span>}
        </TextLink>
      ),
    },
    ...(ofOneLoan ? [] : [borrower]),
    {
      key: 'amount',
      header: t`Amount`,
      align: 'end',
      isEmpty: ({ amount }) => amount === null,
      cell: ({ amount }) => (amount === null ? <span className="text-muted">–</span> : <Money amount={amount} />),
    },
    {
      key: 'maker',
      header: t`Proposed by`,
      cell: ({ maker, is_own: isOwn }) => (
        <>
          {maker.name} {isOwn && <Badge icon="user">{t`You`}</Badge>}
        </>
      ),
    },
    { key: 'age', header: t`Age`, cell: (proposal) => <Age proposal={proposal} /> },
    { key: 'state', header: t`State`, align: 'end', phone: 'aside', cell: ({ state }) => <ProposalBadge state={state} /> },
  ]
}

/** How long an open proposal waits, with its end when it is near; when another was decided. */
function Age({ proposal: { state, proposed_at, expires_at, decided_at } }: { proposal: Proposal }) {
  const { t } = useLingui()
  const openedAtMs = useOpenedAtMs()
  if (state !== 'proposed') return <InstantText instant={decided_at ?? expires_at} />
  return (
    <>
      <AgeText from={proposed_at} />
      {isUrgent(expires_at, openedAtMs) && (
        <span className="block text-xs text-caution">
          {t`expires`} <InstantText instant={expires_at} />
        </span>
      )}
    </>
  )
}
