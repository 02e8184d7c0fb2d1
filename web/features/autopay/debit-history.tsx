import { useLingui } from '@lingui/react/macro'
import type { Collection } from '#contract/autopay.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { AutopayCardProps } from '#web/loan/autopay.ts'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { ReturnedBadge } from '#web/loan/status-badges.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { type Column, DataTable, type RowDetail } from '#web/ui/data-table.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { getOutcomeText } from './autopay-texts.ts'
import { DebitDetail } from './debit-detail.tsx'

type DebitHistoryProps = AutopayCardProps & { debits: readonly Collection[] }

/** What was debited, and what was not and why. */
export function DebitHistory({ debits, ...card }: DebitHistoryProps) {
  const { t } = useLingui()
  const { shown, showAll } = useFirstRows(debits)
  const total = debits.length
  const detail = useDebitDetail(card)
  return (
    <Disclosure summary={t`Debits so far`}>
      <DataTable
        label={t`List of debits`}
        columns={useColumns()}
        rows={shown}
        rowKey={({ id }) => id}
        height="schedule"
        detail={detail}
        empty={t`No data found`}
      />
      {showAll(t`Show all ${total} debits`)}
    </Disclosure>
  )
}

/** What happened to a debit, opened under its row. */
function useDebitDetail(card: AutopayCardProps): RowDetail<Collection> {
  const { t } = useLingui()
  const language = useLanguage()
  const summary = t`What happened`
  const rowName = ({ amount, debit_on: day }: Collection) => `${formatMoney(amount)}, ${formatDay(day, language)}`
  const content = (debit: Collection) => <DebitDetail debit={debit} label={`${summary} ${rowName(debit)}`} {...card} />
  return { summary, isNamed: true, rowName, content }
}

function useColumns(): Column<Collection>[] {
  const { t } = useLingui()
  return [
    { key: 'day', header: t`Date`, phone: 'title', cell: ({ debit_on }) => <DayText day={debit_on} /> },
    { key: 'outcome', header: t`Outcome`, phone: 'note', cell: (debit) => <Outcome debit={debit} /> },
    { key: 'amount', header: t`Amount`, align: 'end', strong: true, phone: 'figure', cell: ({ amount }) => <Money amount={amount} /> },
    { key: 'status', header: t`Status`, phone: 'aside', cell: (debit) => <DebitBadge debit={debit} /> },
  ]
}

function Outcome({ debit }: { debit: Collection }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const text = getOutcomeText(debit)
  const day = formatDay(debit.due_date, language)
  return text === null ? t`EMI of ${day}` : i18n._(text)
}

function DebitBadge({ debit: { status, reason, refund_status } }: { debit: Collection }) {
  const { t } = useLingui()
  if (refund_status !== null || (status === 'captured' && reason === 'returned')) return <ReturnedBadge refundStatus={refund_status} />
  if (status === 'captured') return <Badge tone="positive">{t`Debited`}</Badge>
  if (status === 'presented') return <Badge tone="info">{t`In progress`}</Badge>
  return status === 'failed' ? <Badge tone="danger" icon="alert">{t`Failed`}</Badge> : <Badge>{t`Skipped`}</Badge>
}
