import { useLingui } from '@lingui/react/macro'
import { rupeesToPaise } from '#domain/money.ts'
import { DayText, InstantText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { Card } from '#web/ui/card.tsx'
import { type Column, DataTable, type RowDetail } from '#web/ui/data-table.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { formatCode } from '#web/ui/format.ts'
import { useLedgerTexts } from './ledger-texts.ts'
import type { LoanRecord } from './operations-queries.ts'

type Transaction = LoanRecord['ledger'][number]

/** The ledger, the newest transaction first, with the balance after each; its entries on demand. */
export function LoanLedger({ ledger }: { ledger: LoanRecord['ledger'] }) {
  const { t } = useLingui()
  const columns = useLedgerColumns()
  const detail = useLedgerDetail()
  const newest = ledger.toReversed()
  const { shown, showAll } = useFirstRows(newest)
  const number = ledger.length
  return (
    <Card labelledBy="ledger">
      <h2 id="ledger">{t`Ledger`}</h2>
      <p className="mb-3 text-sm text-muted">{t`The balance is principal and charges outstanding, less the borrower’s credit.`}</p>
      <DataTable
        label={t`Transactions`}
        columns={columns}
        rows={shown}
        rowKey={({ transaction_id: id }) => id}
        detail={detail}
        empty={t`Nothing has been posted yet.`}
      />
      {showAll(t`Show all ${number}`)}
    </Card>
  )
}

function useLedgerColumns(): Column<Transaction>[] {
  const { t } = useLingui()
  const texts = useLedgerTexts()
  return [
    { key: 'sequence', header: t`No.`, phone: 'hidden', cell: ({ sequence }) => <span className="text-muted">{sequence}</span> },
    { key: 'date', header: t`Value date`, phone: 'figure', cell: ({ value_date: day }) => <DayText day={day} /> },
    { key: 'kind', header: t`Transaction`, phone: 'title', cell: ({ kind }) => texts.transaction(kind) },
    {
      key: 'source',
      header: t`Source`,
      cell: ({ source, source_id: id }) => (
        <span className="wrap-anywhere text-xs">
          {formatCode(source)} {id}
        </span>
      ),
    },
    { key: 'amount', header: t`Amount`, align: 'end', phone: 'aside', cell: ({ amount }) => <Money amount={amount} /> },
    {
      key: 'balance',
      header: t`Balance`,
      align: 'end',
      strong: true,
      phone: 'note',
      names: true,
      cell: ({ balance }) => <Money amount={rupeesToPaise(balance)} />,
    },
  ]
}

function useLedgerDetail(): RowDetail<Transaction> {
  const { t } = useLingui()
  return {
    summary: t`Entries of transaction`,
    rowName: ({ sequence }) => String(sequence),
    content: (transaction) => <Entries transaction={transaction} />,
  }
}

function Entries({ transaction: { entries, actor, posted_at: at } }: { transaction: Transaction }) {
  const { t } = useLingui()
  const texts = useLedgerTexts()
  return (
    <div className="text-sm">
      <table className="w-full max-w-[36rem]">
        <caption className="sr-only">{t`Entries`}</caption>
        <thead className="text-left text-xs text-muted">
          <tr>
            <th scope="col" className="font-medium">{t`Account`}</th>
            <th scope="col" className="text-right font-medium">{t`Debit`}</th>
            <th scope="col" className="text-right font-medium">{t`Credit`}</th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {entries.map((entry, index) => (
            <tr key={index}>
              <th scope="row" className="py-0.5 pr-2 text-left font-normal">
                {texts.account(entry.account)}
                {entry.instalment_number !== null && <span className="text-muted"> {entry.instalment_number}</span>}
              </th>
              <td className="py-0.5 text-right">{entry.debit > 0n && <Money amount={entry.debit} />}</td>
              <td className="py-0.5 pl-2 text-right">{entry.credit > 0n && <Money amount={entry.credit} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1 text-xs text-muted">
        {t`Posted by ${actor}`}, <InstantText instant={at} />
      </p>
    </div>
  )
}
