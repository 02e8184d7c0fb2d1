import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { LoanFigures, PreviewSide } from '#contract/operation-kinds.ts'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { DayText } from '#web/loan/days.tsx'
import { paperText } from '#web/loan/document-names.ts'
import { Money } from '#web/loan/money.tsx'
import { loanStatusText, trancheStageText } from '#web/loan/status-badges.tsx'
import { cx } from '#web/ui/class-names.ts'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { formatCount } from '#web/ui/format.ts'
import { ResetRates } from './fact-line.tsx'
import { resetStateText } from './kind-texts.ts'
import { type FigureKey, isLoanFigures, listEffects, listRecordEffects, type RecordKey } from './effects.ts'

/** The loan or the record before and after, side by side; what changes is marked. */
export function EffectTable({ before, after }: { before: PreviewSide; after: PreviewSide }) {
  if (isLoanFigures(before) && isLoanFigures(after)) return <LoanEffects before={before} after={after} />
  if (!isLoanFigures(before) && !isLoanFigures(after))
    return <RecordEffects effects={listRecordEffects(before, after)} asOf={'as_of' in after ? after.as_of : undefined} />
  return null
}

function LoanEffects({ before, after }: { before: LoanFigures; after: LoanFigures }) {
  const { t } = useLingui()
  const nameOf = useFigureNames()
  const { changed, shown, folded } = listEffects(before, after)
  const toRow = (key: FigureKey): EffectRow => ({
    key,
    label: nameOf[key],
    before: <FigureValue figures={before} name={key} />,
    after: <FigureValue figures={after} name={key} />,
    isChanged: changed.includes(key),
  })
  const count = folded.length
  return (
    <div>
      <Rows label={t`Before and after`} rows={shown.map(toRow)} />
      <FiguresDay day={after.as_of} />
      {count > 0 && (
        <Disclosure summary={t`${plural(count, { one: '# more figure, unchanged', other: '# more figures, unchanged' })}`}>
          <Rows label={t`Unchanged`} rows={folded.map(toRow)} />
        </Disclosure>
      )}
    </div>
  )
}

function FiguresDay({ day }: { day: Day }) {
  const { t } = useLingui()
  return (
    <p className="mt-1 text-xs text-muted">
      {t`Figures for`} <DayText day={day} />
    </p>
  )
}

function RecordEffects({ effects, asOf }: { effects: ReturnType<typeof listRecordEffects>; asOf: Day | undefined }) {
  const { t } = useLingui()
  const names = useRecordNames()
  const texts = useRecordTexts()
  const valueOf = (key: RecordKey, value: unknown): ReactNode => {
    if (value === null || value === undefined) return null
    if (key === 'largest_emi_rise') return <Money amount={value as Paise} />
    if (key === 'effective_on') return <DayText day={value as Day} />
    if (key === 'annual_rate_percent') return `${String(value as number)}%`
    if (typeof value === 'number') return formatCount(value)
    return texts[String(value)] ?? String(value)
  }
  return (
    <div>
      <Rows
        label={t`Before and after`}
        rows={effects.map(({ key, before, after }) => ({
          key,
          label: names[key],
          before: valueOf(key, before),
          after: valueOf(key, after),
          isChanged: before !== after,
        }))}
      />
      {asOf !== undefined && <FiguresDay day={asOf} />}
    </div>
  )
}

function useRecordNames(): Record<RecordKey, string> {
  const { t } = useLingui()
  return {
    review_state: t`State`,
    resolution: t`Resolution`,
    benchmark: t`Benchmark`,
    annual_rate_percent: t`Rate a year`,
    effective_on: t`From`,
    loans_read: t`Loans under the benchmark`,
    loans_reset: t`Loans with a new rate`,
    emis_raised: t`Loans whose EMI rises`,
    caps_exceeded: t`Loans whose mandate is too small`,
    largest_emi_rise: t`Largest rise of an EMI`,
    largest_emi_rise_lan: t`Of the loan`,
    paper: t`Paper`,
    filename: t`File`,
    sha256: t`SHA-256`,
    paper_state: t`State`,
  }
}

/** Values of a record that have their own text. */
function useRecordTexts(): Record<string, string> {
  const { t, i18n } = useLingui()
  return {
    ...Object.fromEntries(Object.entries(paperText).map(([paper, text]) => [paper, i18n._(text)])),
    open: t`Open`,
    resolved: t`Resolved`,
    waiting: t`Not published`,
    published: t`Published`,
  }
}

type EffectRow = { key: string; label: string; before: ReactNode; after: ReactNode; isChanged: boolean }

function Rows({ label, rows }: { label: string; rows: readonly EffectRow[] }) {
  const { t } = useLingui()
  const cell = 'border-b border-line px-1 py-2 text-right align-top wrap-anywhere tabular-nums md:px-3'
  return (
    <table className="w-full border-collapse border-t border-rule text-sm">
      <caption className="sr-only">{label}</caption>
      <thead className="text-muted">
        <tr>
          <th scope="col" className="border-b border-line">
            <span className="sr-only">{t`Figure`}</span>
          </th>
          <th scope="col" className={cx(cell, 'font-medium')}>{t`Before`}</th>
          <th scope="col" className={cx(cell, 'font-medium')}>{t`After`}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} className={row.isChanged ? 'bg-brand-soft' : ''}>
            <th scope="row" className="border-b border-line px-1 py-2 text-left align-top font-normal md:px-3">
              {row.label}
              {row.isChanged && <span className="sr-only">, {t`changes`}</span>}
            </th>
            <td className={cell}>{row.before ?? '–'}</td>
            <td className={cx(cell, row.isChanged && 'font-semibold')}>{row.after ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function useFigureNames(): Record<FigureKey, string> {
  const { t } = useLingui()
  return {
    loan_status: t`Status`,
    dues: t`Dues`,
    dpd: t`Days past due`,
    emi_amount: t`EMI`,
    last_due_date: t`Last EMI`,
    payoff: t`Foreclosure amount`,
    tranche: t`Disbursal`,
    rate_reset: t`Rate reset`,
    principal_outstanding: t`Principal outstanding`,
    disbursed_amount: t`Disbursed amount`,
    next_emi_amount: t`Next EMI`,
    due_date: t`Due date`,
    next_row: t`First unpaid instalment`,
    instalments_left: t`Instalments left`,
    credit_amount: t`Borrower’s credit`,
    refunded_amount: t`Refunded`,
  }
}

/** One figure in the form of its kind; a dash if there is none. */
function FigureValue({ figures, name }: { figures: LoanFigures; name: FigureKey }) {
  const { t, i18n } = useLingui()
  switch (name) {
    case 'loan_status':
      return i18n._(loanStatusText[figures.loan_status])
    case 'dpd':
    case 'instalments_left':
      return figures[name]
    case 'due_date':
    case 'last_due_date': {
      const day = figures[name]
      return day === null ? '–' : <DayText day={day} />
    }
    case 'next_row': {
      const row = figures.next_row
      if (row === null) return '–'
      const number = row.number
      return (
        <>
          <Money amount={row.pending_amount} />
          <span className="block text-xs font-normal text-muted">
            {t`instalment ${number}`}, <DayText day={row.due_date} />
          </span>
        </>
      )
    }
    case 'rate_reset': {
      const { rate_reset: reset } = figures
      return reset ? (
        <>
          {i18n._(resetStateText[reset.state])}
          <span className="block text-xs font-normal text-muted">
            <ResetRates reset={reset} />
          </span>
        </>
      ) : (
        '–'
      )
    }
    case 'tranche': {
      const { tranche } = figures
      if (tranche === null) return '–'
      return (
        <>
          {i18n._(trancheStageText[tranche.stage])}
          <span className="block text-xs font-normal text-muted">
            <Money amount={tranche.amount} />, <DayText day={tranche.date} />
          </span>
        </>
      )
    }
    default: {
      const amount = figures[name]
      return amount === null ? '–' : <Money amount={amount} />
    }
  }
}
