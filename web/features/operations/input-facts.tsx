import { Trans, useLingui } from '@lingui/react/macro'
import { Suspense, type ReactNode } from 'react'
import type { PreviewSide } from '#contract/operation-kinds.ts'
import type { Proposal } from '#contract/operations.ts'
import type { Day } from '#domain/calendar.ts'
import { lateChargeDueDate, lateChargeType } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import { DayText } from '#web/loan/days.tsx'
import { ChargeText } from '#web/loan/explanation-step.tsx'
import { Money } from '#web/loan/money.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { isLoanFigures } from './effects.ts'
import { FactLine, ResetRates } from './fact-line.tsx'
import { causeText, fieldText, getModeText, recordedPurposeText } from './kind-texts.ts'
import { decodeInput, operationFields, type FieldType } from './operation-fields.ts'

/** Few proposals are about a paper. */
const PaperDownload = createLazyPart(async () => (await import('./paper-download.tsx')).PaperDownload)

/** Fields that name a part of the loan. */
const partTypes: ReadonlySet<FieldType> = new Set(['charge', 'payment', 'paper', 'reset'])

/** What was entered, field by field. */
export function InputFacts({ proposal: { kind, input, amount, preview } }: { proposal: Proposal }) {
  const { i18n } = useLingui()
  const values = decodeInput(kind, input)
  return operationFields[kind].map(({ name, type }) => {
    const value = values[name]
    const label = fieldText[name]
    if (value === undefined) return null
    return (
      <FactLine key={name} label={label === undefined ? name : i18n._(label)}>
        {type === 'charge' && <Charge id={String(value)} amount={amount} before={preview.before} />}
        {type === 'payment' && <Payment id={String(value)} before={preview.before} />}
        {type === 'paper' && (
          <Suspense>
            <PaperDownload id={String(value)} />
          </Suspense>
        )}
        {type === 'reset' && <Reset id={String(value)} before={preview.before} />}
        {!partTypes.has(type) && <Value type={type} value={value} />}
      </FactLine>
    )
  })
}

/**
 * A charge by its kind, day and open amount, of the preview: its id means nothing to a reader.
 * Previews of earlier versions do not have it.
 */
function Charge({ id, amount, before }: { id: string; amount: Paise | null; before: PreviewSide }) {
  const lateDay = lateChargeDueDate(id)
  const late = lateDay === null ? undefined : { charge_type: lateChargeType, date: lateDay }
  const charge = late ?? (isLoanFigures(before) ? before.charge : undefined)
  return (
    <>
      {charge && (
        <>
          <ChargeText chargeType={charge.charge_type} />, <DayText day={charge.date} />{' '}
        </>
      )}
      {amount !== null && <Money amount={amount} className="font-semibold" />}
    </>
  )
}

/**
 * A payment by its mode, reference, amount and day, of the preview. Previews of earlier versions
 * have its id alone.
 */
function Payment({ id, before }: { id: string; before: PreviewSide }) {
  const { i18n } = useLingui()
  const payment = isLoanFigures(before) ? before.payment : undefined
  if (payment === undefined) return id
  const { reference, amount, value_date: day } = payment
  const mode = getModeText(i18n, payment.mode)
  return (
    <Trans>
      {mode} {reference}, <Money amount={amount} className="font-semibold" /> on <DayText day={day} />
    </Trans>
  )
}

/** A rate reset by its rates and its day, of the preview: its id means nothing to a reader. */
function Reset({ id, before }: { id: string; before: PreviewSide }) {
  const reset = isLoanFigures(before) ? before.rate_reset : undefined
  return reset === undefined ? id : <ResetRates reset={reset} />
}

function Value({ type, value }: { type: FieldType; value: unknown }): ReactNode {
  const { i18n } = useLingui()
  if (type === 'amount' && typeof value === 'bigint') return <Money amount={value as Paise} className="font-semibold" />
  if (typeof value !== 'string') return String(value)
  switch (type) {
    case 'day':
      return <DayText day={value as Day} />
    case 'charge_type':
      return <ChargeText chargeType={value} />
    case 'mode':
      return getModeText(i18n, value)
    case 'purpose':
      return value in recordedPurposeText ? i18n._(recordedPurposeText[value as keyof typeof recordedPurposeText]) : value
    case 'cause':
      return value in causeText ? i18n._(causeText[value as keyof typeof causeText]) : value
    default:
      return value
  }
}
