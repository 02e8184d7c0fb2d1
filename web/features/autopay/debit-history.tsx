import { useLingui } from '@lingui/react/macro'
import type { Collection, CollectionStep } from '#contract/autopay.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { AutopayCardProps, ListedStep } from '#web/loan/autopay.ts'
import { DayText, InstantText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { type Column, DataTable, type RowDetail } from '#web/ui/data-table.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { getOutcomeText } from './autopay-texts.ts'
import { DebitCovers } from './debit-covers.tsx'

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

function DebitBadge({ debit: { status, refund_status } }: { debit: Collection }) {
  const { t } = useLingui()
  if (refund_status !== null) return <Badge tone="info">{refund_status === 'processed' ? t`Returned to you` : t`Being returned`}</Badge>
  if (status === 'captured') return <Badge tone="positive">{t`Debited`}</Badge>
  if (status === 'presented') return <Badge tone="info">{t`In progress`}</Badge>
  return status === 'failed' ? <Badge tone="danger" icon="alert">{t`Failed`}</Badge> : <Badge>{t`Skipped`}</Badge>
}

function DebitDetail({ debit, label, loan, StepList, ReceiptButton }: AutopayCardProps & { debit: Collection; label: string }) {
  const { t } = useLingui()
  const receipts = debit.steps.flatMap(({ receipt_number: number }) => (number === undefined ? [] : [number]))
  return (
    <>
      <StepList
        label={label}
        steps={useListedSteps(debit.steps)}
        next={debit.status === 'presented' ? t`Waiting for the bank` : undefined}
      />
      <div className="-mx-3 flex flex-wrap">
        {receipts.map((number) => (
          <ReceiptButton key={number} loan={loan} receiptNumber={number} isNumbered={receipts.length > 1} />
        ))}
      </div>
      <DebitCovers loan={loan} debit={debit} />
      <div className="mt-1 text-xs text-muted">
        {t`Debit reference`}
        <p className="flex items-center gap-1">
          <span className="break-all text-ink">{debit.reference}</span>
          <CopyButton text={debit.reference} of={t`Debit reference`} />
        </p>
      </div>
    </>
  )
}

/** Our own steps in words; those of the money are named as in the trail of any payment. */
function useListedSteps(steps: readonly CollectionStep[]): ListedStep[] {
  const { t } = useLingui()
  return steps.map((step) => {
    const amount = step.amount === undefined ? '' : formatMoney(step.amount)
    const done = (title: string) => ({ state: 'done' as const, title, detail: <InstantText instant={step.at} /> })
    switch (step.step) {
      case 'announced':
        return done(t`Debit of ${amount} announced to you`)
      case 'delivered':
        return done(t`Announcement delivered by your bank`)
      case 'presented':
        return done(t`Debit of ${amount} requested at your bank`)
      case 'failed':
        return done(t`The bank reported that it failed`)
      case 'skipped':
        return done(t`Skipped: nothing was debited`)
      default:
        return { ...step, step: step.step }
    }
  })
}
