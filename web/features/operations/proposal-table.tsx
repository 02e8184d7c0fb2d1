import { useLingui } from '@lingui/react/macro'
import type { Proposal } from '#contract/operations.ts'
import { getProposalPath } from '#web/app/paths.ts'
import { InstantText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { type Column, DataTable, useIsNarrow } from '#web/ui/data-table.tsx'
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
  // Without a heading above it, the table's rule would have nothing to divide.
  if (proposals.length === 0 && !ofOneLoan) return <p className="text-muted">{empty}</p>
  return <DataTable label={label} columns={columns} rows={proposals} rowKey={({ id }) => id} empty={empty} />
}

/** On phones kind and amount over the borrower and the age or state; the rest is on its page. */
function useProposalColumns(ofOneLoan: boolean): Column<Proposal>[] {
  const { t, i18n } = useLingui()
  const isNarrow = useIsNarrow()
  const borrower: Column<Proposal> = {
    key: 'borrower',
    header: t`Borrower`,
    phone: 'figure',
    cell: ({ borrower_name: name, lan }) => (
      <span className="min-w-0 max-md:shrink-99 max-md:truncate">
        {name ?? (isNarrow ? null : '–')}{' '}
        {lan !== null && <span className="block text-xs whitespace-nowrap text-muted max-md:sr-only">{lan}</span>}
      </span>
    ),
  }
  return [
    {
      key: 'kind',
      header: t`Proposal`,
      phone: 'title',
      strong: true,
      cell: ({ id, kind, borrower_name: name }) => (
        <TextLink to={getProposalPath(id)} className="max-md:after:absolute max-md:after:inset-0">
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
      phone: 'aside',
      strong: true,
      cell: ({ amount }) => (amount === null ? !isNarrow && <span className="text-muted">–</span> : <Money amount={amount} />),
    },
    {
      key: 'maker',
      header: t`Proposed by`,
      phone: 'hidden',
      cell: ({ maker, is_own: isOwn }) => (
        <>
          {maker.name} {isOwn && <Badge icon="user">{t`You`}</Badge>}
        </>
      ),
    },
    { key: 'age', header: t`Age`, phone: 'hidden', cell: (proposal) => <Age proposal={proposal} /> },
    {
      key: 'state',
      header: t`State`,
      align: 'end',
      phone: 'note',
      cell: (proposal) =>
        isNarrow && proposal.state === 'proposed' ? <ShortAge proposal={proposal} /> : <ProposalBadge state={proposal.state} />,
    },
  ]
}

/** On phones: whether an open proposal is one of the reader, how long it waits, if it ends soon. */
function ShortAge({ proposal: { proposed_at, expires_at, is_own: isOwn } }: { proposal: Proposal }) {
  const { t } = useLingui()
  const openedAtMs = useOpenedAtMs()
  return (
    <span className="whitespace-nowrap text-xs">
      {isOwn && <Badge icon="user">{t`You`}</Badge>} <AgeText from={proposed_at} />
      {isUrgent(expires_at, openedAtMs) && <span className="text-caution">, {t`expires soon`}</span>}
    </span>
  )
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
