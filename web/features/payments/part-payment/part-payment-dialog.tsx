import { useLingui } from '@lingui/react/macro'
import { useId, useRef, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { formatDay, formatMoney, formatRupeesInput } from '#web/ui/format.ts'
import { AmountField } from '#web/ui/grouped-field.tsx'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import type { Payment } from '../payments-controller.ts'
import { PartPaymentCurves } from './part-payment-curves.tsx'
import { PartPaymentOutcome } from './part-payment-outcome.tsx'
import {
  type AmountCheck,
  type AmountRange,
  checkPartPaymentAmount,
  defaultPartPaymentPurpose,
  type PartPaymentPurpose,
} from './part-payment.ts'
import { type PartPaymentPreview, usePartPaymentPreview } from './use-part-payment-preview.ts'

type PartPaymentDialogProps = { loan: Loan; range: AmountRange; onClose: () => void; onConfirm: (payment: Payment) => void }

/** The amount and the effect of a part payment (spec §5 'Payment amount modal'). */
export function PartPaymentDialog({ loan, range, onClose, onConfirm }: PartPaymentDialogProps) {
  const { t } = useLingui()
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  const permission = usePermission('payment_link:update')
  const [text, setText] = useState(() => formatRupeesInput(range.min))
  const [purpose, setPurpose] = useState<PartPaymentPurpose>(defaultPartPaymentPurpose)
  const [min, max] = [formatMoney(range.min), formatMoney(range.max)]
  const check = checkPartPaymentAmount(text, range)
  const { preview, isOld, isLoading } = usePartPaymentPreview(loan, check.isValid ? check.amount : null)
  const problem = useAmountProblem(check, min, max)
  const amount = check.isValid ? formatMoney(check.amount) : null

  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Part payment`}
      size="lg"
      initialFocus={field}
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <ActionButton
            type="submit"
            form={formId}
            permission={permission}
            state={check.isValid ? 'normal' : 'disabled'}
            className="max-md:w-full"
          >
            {amount === null ? t`Continue` : t`Continue with ${amount}`}
          </ActionButton>
        </>
      }
    >
      <form
        id={formId}
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault()
          // Enter in the field submits the form even if the button is disabled.
          if (check.isValid && permission === 'allowed') onConfirm({ purpose, amount: check.amount })
        }}
      >
        <AmountField
          ref={field}
          id="part-payment-amount"
          label={t`Amount`}
          hint={t`From ${min} to ${max}`}
          error={problem}
          value={text}
          onChange={setText}
        />
        <OptionGroup legend={t`What should change?`} hideLegend={false}>
          <div className="grid gap-3 md:grid-cols-2">
            <OptionCard
              name="part-payment-purpose"
              value="PART_PAYMENT__REDUCE_EMI"
              checked={purpose === 'PART_PAYMENT__REDUCE_EMI'}
              onSelect={() => setPurpose('PART_PAYMENT__REDUCE_EMI')}
              title={t`Reduce EMI`}
              description={t`Pay less each month, same end date`}
            >
              <PartPaymentOutcome
                after={preview?.reduce_emi ?? null}
                before={preview?.unchanged ?? null}
                isOld={isOld}
                isLoading={isLoading}
              />
            </OptionCard>
            <OptionCard
              name="part-payment-purpose"
              value="PART_PAYMENT__REDUCE_TENOR"
              checked={purpose === 'PART_PAYMENT__REDUCE_TENOR'}
              onSelect={() => setPurpose('PART_PAYMENT__REDUCE_TENOR')}
              title={t`Reduce Tenor`}
              description={t`Same EMI, finish sooner`}
            >
              <PartPaymentOutcome
                after={preview?.reduce_tenor ?? null}
                before={preview?.unchanged ?? null}
                isOld={isOld}
                isLoading={isLoading}
              />
            </OptionCard>
          </div>
        </OptionGroup>
        <PreviewDay loan={loan} preview={preview} />
        <PartPaymentCurves preview={preview} purpose={purpose} />
      </form>
    </Dialog>
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
