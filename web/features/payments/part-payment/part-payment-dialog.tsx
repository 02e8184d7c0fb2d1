import { useLingui } from '@lingui/react/macro'
import { useId, useRef, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PartPaymentOutcome as Outcome } from '#contract/part-payments.ts'
import type { Paise } from '#domain/money.ts'
import { FailureLine } from '#web/app/loading/failure-panel.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getPartPaymentPlace, type PartPaymentEntry, partPaymentPurposes, readPartPaymentEntry } from '#web/loan/part-payment-entry.ts'
import { usePermission } from '#web/session/permissions.ts'
import { useKeptTyped } from '#web/session/typed-entry.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Button } from '#web/ui/button.tsx'
import { cx } from '#web/ui/class-names.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { AmountField, Form } from '#web/ui/field.tsx'
import { formatDay, formatMoney, formatRupeesInput } from '#web/ui/format.ts'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import { CreateFailure } from '../pay/create-failure.tsx'
import type { Payment } from '../payments-controller.ts'
import type { Payments } from '../use-payments.ts'
import { PartPaymentCurves } from './part-payment-curves.tsx'
import { PartPaymentOutcome } from './part-payment-outcome.tsx'
import {
  type AmountCheck,
  type AmountRange,
  checkPartPaymentAmount,
  defaultPartPaymentPurpose,
  listSuggestions,
  selectOutcome,
} from './part-payment.ts'
import { type PartPaymentPreview, usePartPaymentPreview } from './use-part-payment-preview.ts'

type PartPaymentDialogProps = {
  loan: Loan
  range: AmountRange
  create: Payments['create']
  onClose: () => void
  onConfirm: (payment: Payment) => void
}

/**
 * The amount and the effect of a part payment (spec §5 'Payment amount modal'). It stays open until
 * the link is created, so that a failure loses nothing.
 */
export function PartPaymentDialog({ loan, range, create, onClose, onConfirm }: PartPaymentDialogProps) {
  const { t } = useLingui()
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  const permission = usePermission('payment_link:update')
  const [{ text, purpose }, setEntry] = useEntry(loan, range)
  const [min, max] = [formatMoney(range.min), formatMoney(range.max)]
  const check = checkPartPaymentAmount(text, range)
  const { preview, isOld, isLoading, failure } = usePartPaymentPreview(loan, check.isValid ? check.amount : null)
  const outcome = preview && !isOld ? selectOutcome(preview, purpose) : null
  const problem = useAmountProblem(check, min, max)
  const amount = check.isValid ? formatMoney(check.amount) : null

  return (
    <Dialog
      open
      isBusy={create.isPending}
      holdsInput
      onClose={onClose}
      title={t`Part payment`}
      size="lg"
      initialFocus={field}
      actions={
        <>
          <Button variant="secondary" state={create.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <ActionButton
            type="submit"
            form={formId}
            permission={permission}
            state={create.isPending ? 'loading' : !check.isValid ? 'disabled' : create.isError ? 'error' : 'normal'}
            className="max-md:w-full"
          >
            {amount === null ? t`Continue` : t`Continue with ${amount}`}
          </ActionButton>
        </>
      }
    >
      <Form
        id={formId}
        className="space-y-5"
        onSubmit={() => check.isValid && permission === 'allowed' && !create.isPending && onConfirm({ purpose, amount: check.amount })}
      >
        {create.isError && <CreateFailure error={create.error} />}
        <div>
          <AmountField
            ref={field}
            id="part-payment-amount"
            label={t`Amount`}
            hint={t`From ${min} to ${max}`}
            problem={problem}
            showsProblem
            value={text}
            onChange={(typed) => setEntry({ text: typed })}
          />
          <Suggestions
            amounts={listSuggestions(range, loan.emi_amount)}
            emi={loan.emi_amount}
            chosen={check.isValid ? check.amount : null}
            onChoose={(suggested) => setEntry({ text: formatRupeesInput(suggested) })}
          />
        </div>
        <OptionGroup legend={t`What should change?`} hideLegend={false}>
          <div className="grid grid-cols-2 gap-2 md:gap-3">
            {partPaymentPurposes.map((each) => (
              <OptionCard
                key={each}
                name="part-payment-purpose"
                value={each}
                checked={purpose === each}
                onSelect={() => setEntry({ purpose: each })}
                title={each === 'PART_PAYMENT__REDUCE_EMI' ? t`Reduce EMI` : t`Reduce Tenor`}
                description={each === 'PART_PAYMENT__REDUCE_EMI' ? t`Pay less each month, same end date` : t`Same EMI, finish sooner`}
                isHalf
              >
                <PartPaymentOutcome
                  after={preview && selectOutcome(preview, each)}
                  before={preview?.unchanged ?? null}
                  isOld={isOld}
                  isLoading={isLoading}
                />
              </OptionCard>
            ))}
          </div>
        </OptionGroup>
        <SavedStatus amount={amount} outcome={outcome} />
        <NextDue outcome={outcome} />
        <PreviewDay loan={loan} preview={preview} />
        {failure ? (
          <p className="text-sm">
            <FailureLine {...failure} title={t`The effect could not be loaded`} />
          </p>
        ) : (
          <PartPaymentCurves preview={preview} purpose={purpose} />
        )}
      </Form>
    </Dialog>
  )
}

/** The amount and the choice, which are kept; the minimum and Reduce EMI at first. */
function useEntry(loan: Loan, range: AmountRange) {
  const [entry, setEntry] = useState<PartPaymentEntry>(
    () => readPartPaymentEntry(loan.lan) ?? { text: formatRupeesInput(range.min), purpose: defaultPartPaymentPurpose },
  )
  useKeptTyped(getPartPaymentPlace(loan.lan), entry)
  const change = (changes: Partial<PartPaymentEntry>): void => setEntry((before) => ({ ...before, ...changes }))
  return [entry, change] as const
}

type SuggestionsProps = { amounts: readonly Paise[]; emi: Paise; chosen: Paise | null; onChoose: (amount: Paise) => void }

/** Amounts to press instead of typing. */
function Suggestions({ amounts, emi, chosen, onChoose }: SuggestionsProps) {
  const { t } = useLingui()
  if (amounts.length === 0) return null
  const name = (amount: Paise): string =>
    amount === emi ? t`As much as 1 EMI` : amount === 1_00_000_00n ? t`₹1 lakh` : formatMoney(amount)
  return (
    <div role="group" aria-label={t`Suggestions`} className="mt-2 flex flex-wrap gap-2">
      {amounts.map((amount) => (
        <button
          key={amount}
          type="button"
          aria-pressed={amount === chosen}
          onClick={() => onChoose(amount)}
          className={cx(
            'min-h-target rounded-full border px-4 text-sm font-medium tabular-nums hover:border-brand',
            amount === chosen
              ? 'border-brand bg-brand-soft text-on-brand-soft inset-ring inset-ring-brand'
              : 'border-line-strong bg-raised',
          )}
        >
          {name(amount)}
        </button>
      ))}
    </div>
  )
}

/** The three messages, word for word from spec §5. */
function useAmountProblem(check: AmountCheck, min: string, max: string): string | null {
  const { t } = useLingui()
  if (check.isValid) return null
  switch (check.problem) {
    case 'not_an_amount':
      return t`Please enter a valid amount`
    case 'below_minimum':
      return t`Amount must be at least ${min}`
    case 'above_maximum':
      return t`Amount cannot exceed ${max}`
  }
}

/** Tells a screen reader that the figures of a typed amount have come. */
function SavedStatus({ amount, outcome }: { amount: string | null; outcome: Outcome | null }) {
  const { t } = useLingui()
  const saved = outcome && formatMoney(outcome.interest_saved)
  return (
    <p role="status" className="sr-only">
      {amount !== null && saved !== null && t`Interest saved with ${amount}: ${saved}`}
    </p>
  )
}

/** A part payment of one EMI can be taken for the next EMI: says that it is not. */
function NextDue({ outcome }: { outcome: Outcome | null }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (!outcome?.next_due) return null
  const [day, amount] = [formatDay(outcome.next_due.due_date, language), formatMoney(outcome.next_due.amount)]
  return <p className="text-sm">{t`Your instalment of ${day}, ${amount}, stays due.`}</p>
}

/**
 * From 23:30 a preview is for the next day (decision 55): says so, and what paying before midnight
 * changes.
 */
function PreviewDay({ loan, preview }: { loan: Loan; preview: PartPaymentPreview | null }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (preview === null || preview.as_of === loan.as_of) return null
  const day = formatDay(preview.as_of, language)
  return (
    <p className="text-sm text-muted">
      {t`These figures are for ${day}. A payment before midnight counts from today and saves one more day of interest.`}
    </p>
  )
}
