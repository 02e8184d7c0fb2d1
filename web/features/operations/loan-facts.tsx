import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { RateChange } from '#domain/loans.ts'
import type { RefundStatus } from '#domain/refunds.ts'
import { DayText } from '#web/loan/days.tsx'
import { uploadTypeText } from '#web/loan/document-names.ts'
import { ChargeText } from '#web/loan/explanation-step.tsx'
import { Money } from '#web/loan/money.tsx'
import { trancheStageText } from '#web/loan/status-badges.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Card } from '#web/ui/card.tsx'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { formatBytes, formatCode } from '#web/ui/format.ts'
import type { LoanRecord } from './operations-queries.ts'
import { refundReasonText, refundStatusText } from './payment-texts.ts'
import { getModeText, rateKeepText, resetStateText } from './kind-texts.ts'

type FactRow = { key: string; day: Day; what: ReactNode; amount: ReactNode; note: ReactNode }

/** Everything that is known about the loan: what was lent, owed, paid and sent back; its files. */
export function LoanFacts({ record }: { record: LoanRecord }) {
  const { t } = useLingui()
  const groups = useFactGroups(record).filter(({ empty, rows }) => empty !== null || rows.length > 0)
  return (
    <Card labelledBy="facts">
      <h2 id="facts" className="mb-2">{t`Facts`}</h2>
      <div className="space-y-5">
        {groups.map(({ title, empty, rows }) => (
          <div key={title}>
            <h3 className="mb-1 text-base">{title}</h3>
            <FactTable label={title} rows={rows} empty={empty ?? t`None yet.`} />
          </div>
        ))}
      </div>
    </Card>
  )
}

function FactTable({ label, rows, empty }: { label: string; rows: readonly FactRow[]; empty: string }) {
  const { t } = useLingui()
  const columns = useFactColumns()
  const { shown, showAll } = useFirstRows(rows)
  const number = rows.length
  return (
    <>
      <DataTable label={label} height="tranches" columns={columns} rows={shown} rowKey={({ key }) => key} empty={empty} />
      {showAll(t`Show all ${number}`)}
    </>
  )
}

/** `empty`: the text without rows, 'None yet.' by default; null if the group is then left out. */
function useFactGroups({ facts, tranches, documents }: LoanRecord): { title: string; empty?: string | null; rows: FactRow[] }[] {
  const { t, i18n } = useLingui()
  const stage = (one: LoanRecord['tranches'][number]): string => i18n._(trancheStageText[one.stage])
  return [
    {
      title: t`Disbursals`,
      rows: tranches.map((one) => ({
        key: one.partner_tranche_id,
        day: one.date_of_disbursement,
        what: one.partner_tranche_id,
        amount: <Money amount={one.tranche_amount} />,
        note: stage(one),
      })),
    },
    {
      title: t`Charges`,
      rows: [
        ...facts.charges.map((charge) => ({
          key: charge.charge_id,
          day: charge.date,
          what: <ChargeText chargeType={charge.charge_type} />,
          amount: <Money amount={charge.amount} />,
          note: <ChargeState charge={charge} />,
        })),
        ...facts.foreclosure_waivers.map(({ date, amount }) => ({
          key: `waiver ${date}`,
          day: date,
          what: t`Foreclosure waiver`,
          amount: <Money amount={amount} />,
          note: '',
        })),
      ],
    },
    {
      title: t`Payments received`,
      rows: facts.payments.map(({ payment_id: key, date, mode, reference, amount, receipt_number: receipt, reversed }) => ({
        key,
        day: date,
        what: `${getModeText(i18n, mode)} ${reference}`,
        amount: <Money amount={amount} className={reversed ? 'line-through' : ''} />,
        note: reversed ? <Badge tone="danger">{t`Reversed`}</Badge> : receipt && t`Receipt ${receipt}`,
      })),
    },
    {
      title: t`Refunds`,
      rows: facts.refunds.map(({ refund_id: key, date, reason, amount, status }) => ({
        key,
        day: date,
        what: reason in refundReasonText ? i18n._(refundReasonText[reason as keyof typeof refundReasonText]) : formatCode(reason),
        amount: <Money amount={amount} />,
        note: status in refundStatusText ? i18n._(refundStatusText[status as RefundStatus]) : formatCode(status),
      })),
    },
    {
      title: t`Interest rates`,
      empty: null,
      rows: facts.rate_changes.map(({ date, annual_rate_percent: percent, keep, instalment }) => ({
        key: date,
        day: date,
        what: t`${percent}% a year`,
        amount: instalment === undefined ? '' : <Money amount={instalment} />,
        note: keep in rateKeepText ? i18n._(rateKeepText[keep as RateChange['keep']]) : formatCode(keep),
      })),
    },
    {
      title: t`Rate resets`,
      empty: null,
      rows: facts.rate_resets.map(({ id: key, from, to, effective_on: day, state: reset, instalment }) => ({
        key,
        day,
        what: `${from}% → ${to}%`,
        amount: <Money amount={instalment} />,
        note: i18n._(resetStateText[reset]),
      })),
    },
    {
      title: t`Documents`,
      empty: t`No documents uploaded yet`,
      rows: documents.map(({ document_id: key, created_at: at, metadata, size_bytes: size }) => ({
        key,
        day: dayInIndia(at),
        what: <span className="wrap-anywhere">{metadata.filename}</span>,
        amount: formatBytes(size),
        note: i18n._(uploadTypeText[metadata.document_type]),
      })),
    },
  ]
}

type ChargeRecord = LoanRecord['facts']['charges'][number]

function ChargeState({ charge: { waived_on: waivedOn, pending, settled } }: { charge: ChargeRecord }) {
  const { t } = useLingui()
  // A part of a waived charge can be owed again.
  if (pending > 0n)
    return (
      <>
        <Money amount={pending} /> {t`unpaid`}
      </>
    )
  if (waivedOn !== null)
    return (
      <>
        {t`Waived on`} <DayText day={waivedOn} />
      </>
    )
  return settled ? t`Settled` : t`Paid`
}

function useFactColumns(): Column<FactRow>[] {
  const { t } = useLingui()
  return [
    { key: 'day', header: t`Date`, phone: 'figure', cell: ({ day }) => <DayText day={day} /> },
    { key: 'what', header: t`What`, phone: 'title', cell: ({ what }) => what },
    { key: 'note', header: t`State`, phone: 'note', cell: ({ note }) => note },
    { key: 'amount', header: t`Amount`, align: 'end', phone: 'aside', cell: ({ amount }) => amount },
  ]
}
