import { Trans, useLingui } from '@lingui/react/macro'
import type { LedgerLine, LoanFigures, Preview, PreviewWarning } from '#contract/operation-kinds.ts'
import { DayText, InstantText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { EffectTable } from './effect-table.tsx'
import { listCurrentWarnings } from './effects.ts'
import { useLedgerTexts } from './ledger-texts.ts'
import { useOpenedAtMs } from './proposal-badge.tsx'

type PreviewViewProps = {
  preview: Preview
  /** Whether it is still to be decided, done, or not done. Absent: it is not proposed yet. */
  outcome?: 'open' | 'executed' | 'closed'
}

/** The effect of an operation: warnings, figures before and after, ledger lines. */
export function PreviewView({ preview, outcome }: PreviewViewProps) {
  const { t } = useLingui()
  const openedAtMs = useOpenedAtMs()
  const lines = {
    open: t`Ledger lines that will be added`,
    executed: t`Ledger lines that were added`,
    closed: t`Ledger lines that would have been added`,
  }
  return (
    <div className="space-y-4">
      {(outcome === undefined || outcome === 'open') &&
        listCurrentWarnings(preview, openedAtMs).map((warning) => (
          <Banner key={warning.code} tone="caution">
            <WarningText warning={warning} isProposed={outcome !== undefined} />
          </Banner>
        ))}
      <EffectTable before={preview.before} after={preview.after} />
      <div>
        <h3 className="mb-1 text-base">{lines[outcome ?? 'open']}</h3>
        <LedgerLines lines={preview.lines} />
      </div>
    </div>
  )
}

function WarningText({ warning: { code, expires_at: expiresAt }, isProposed }: { warning: PreviewWarning; isProposed: boolean }) {
  const until = expiresAt && <InstantText instant={expiresAt} className="font-semibold" />
  switch (code) {
    case 'link_open':
      return until ? (
        <Trans>
          The borrower can pay an open payment link until {until}. Its amount would be wrong after this. The approver can cancel the link
          first, or wait until it has ended.
        </Trans>
      ) : (
        <Trans>
          The borrower can pay an open payment link. Its amount would be wrong after this. The approver can cancel the link first, or wait
          until it has ended.
        </Trans>
      )
    case 'link_will_be_cancelled':
      return (
        <Trans>
          The borrower has an open payment link. It will be cancelled right after the execution, because its amount will be wrong.
        </Trans>
      )
    case 'charges_not_listed':
      return <Trans>The product has no list of disclosed charges. Check that the key facts statement of the loan lists this charge.</Trans>
    case 'enough_to_close':
      return isProposed ? (
        <Trans>
          This amount is enough to close the loan, but the payment is recorded for what is due, and the rest becomes credit. If the borrower
          meant to close the loan, reject or withdraw this, and propose “Record a payment” with Foreclosure under What it pays.
        </Trans>
      ) : (
        <Trans>
          This amount is enough to close the loan, but the payment is recorded for what is due, and the rest becomes credit. To close the
          loan, go back and choose Foreclosure under What it pays.
        </Trans>
      )
    case 'day_ends':
      return <Trans>These figures are valid until midnight. After that, new figures have to be approved.</Trans>
  }
}

/** The entries that an execution adds to the ledger. */
function LedgerLines({ lines }: { lines: readonly LedgerLine[] }) {
  const { t } = useLingui()
  const columns = useLineColumns()
  return (
    <DataTable
      label={t`Ledger lines`}
      height="tranches"
      columns={columns}
      rows={lines}
      rowKey={(line) => lines.indexOf(line)}
      empty={t`None: no money moves.`}
    />
  )
}

/** On phones both sides are in one place, so the amount says its side. */
function Side({ amount, name }: { amount: LoanFigures['dues']; name: string }) {
  return (
    <span className="whitespace-nowrap">
      <span className="text-xs text-muted md:sr-only">{name} </span>
      <Money amount={amount} />
    </span>
  )
}

function useLineColumns(): Column<LedgerLine>[] {
  const { t } = useLingui()
  const texts = useLedgerTexts()
  return [
    {
      key: 'transaction',
      header: t`Transaction`,
      phone: 'note',
      cell: ({ transaction, kind }) => `${transaction}. ${texts.transaction(kind)}`,
    },
    { key: 'date', header: t`Value date`, phone: 'figure', cell: ({ value_date: day }) => <DayText day={day} /> },
    {
      key: 'account',
      header: t`Account`,
      phone: 'title',
      cell: ({ account, instalment_number: number }) => (
        <>
          {texts.account(account)}
          {number !== null && <span className="text-muted">, {t`instalment ${number}`}</span>}
        </>
      ),
    },
    {
      key: 'debit',
      header: t`Debit`,
      align: 'end',
      phone: 'aside',
      cell: ({ debit }) => debit > 0n && <Side amount={debit} name={t`Debit`} />,
    },
    {
      key: 'credit',
      header: t`Credit`,
      align: 'end',
      phone: 'aside',
      cell: ({ credit }) => credit > 0n && <Side amount={credit} name={t`Credit`} />,
    },
  ]
}
