import { useLingui } from '@lingui/react/macro'
import { useId, useRef, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { Tranche } from '#contract/tranches.ts'
import { addDays, type Day } from '#domain/calendar.ts'
import { ApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { usePermission } from '#web/session/permissions.ts'
import { useKeptTyped } from '#web/session/typed-entry.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { DatePicker } from '#web/ui/date-picker.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { AmountField, Form } from '#web/ui/field.tsx'
import { formatDay, formatMoney, formatRupeesInput } from '#web/ui/format.ts'
import {
  checkTrancheAmount,
  getTranchePlace,
  isOfferedDay,
  listOtherApproved,
  readTypedTranche,
  type TrancheAmountCheck,
} from './tranche-form.ts'
import { TrancheOutcome } from './tranche-outcome.tsx'
import { type Tranches, useSendTranche } from './tranche-queries.ts'

type TrancheDialogProps = {
  loan: Loan
  tranches: Tranches
  /** The request to change; null for a new one. */
  edited: Tranche | null
  onClose: () => void
  onSent: (tranche: Tranche) => void
}

/** Requests a disbursal or changes a request (spec §5 'Tranche amount', 'Disbursement date'). */
export function TrancheDialog({ loan, tranches, edited, onClose, onSent }: TrancheDialogProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  const permission = usePermission('loan:update')
  const send = useSendTranche(loan, edited)
  const [typed] = useState(() => readTypedTranche(loan.lan, edited))
  const [text, setText] = useState(typed?.text ?? (edited ? formatRupeesInput(edited.tranche_amount) : ''))
  const [day, setDay] = useState<Day | null>(typed?.day ?? edited?.date_of_disbursement ?? null)
  useKeptTyped(getTranchePlace(loan.lan, edited), { text, day })

  const refusal = useFieldRefusal(send.error)
  const maximum = edited ? edited.max_amount : tranches.max_tranche_amount
  const check = checkTrancheAmount(text, maximum)
  // An earlier request keeps its day, even if that is no longer selectable.
  const isDayValid = isOfferedDay(day, tranches) || (edited !== null && day === edited.date_of_disbursement)
  const request = check.isValid && isDayValid && day !== null ? { amount: check.amount, day } : null
  const [from, to] = [formatDay(tranches.earliest_date, language), formatDay(tranches.latest_date, language)]
  const most = maximum && formatMoney(maximum)

  return (
    <Dialog
      open
      isBusy={send.isPending}
      holdsInput
      onClose={onClose}
      title={edited ? t`Change the request` : t`Request disbursal`}
      initialFocus={field}
      actions={
        <>
          <Button variant="secondary" state={send.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <ActionButton type="submit" form={formId} permission={permission} state={getCallState(send)} className="max-md:w-full">
            {edited ? t`Save changes` : t`Send request`}
          </ActionButton>
        </>
      }
    >
      <Form
        id={formId}
        className="space-y-4"
        refusal={refusal}
        onSubmit={() => {
          if (request && permission === 'allowed' && !send.isPending) send.mutate(request, { onSuccess: onSent })
        }}
      >
        {edited?.stage === 'approved' && (
          <Banner tone="caution">{t`This disbursal is approved. If you change it, your lender has to approve it again.`}</Banner>
        )}
        <AmountField
          ref={field}
          id="tranche-amount"
          label={t`Amount`}
          hint={most ? t`Whole rupees, up to ${most}` : t`Whole rupees`}
          problem={useAmountProblem(check, most)}
          showsProblem={text !== ''}
          value={text}
          onChange={setText}
          wholeRupees
        />
        <DatePicker
          id="tranche-date"
          label={t`Date`}
          hint={t`From ${from} to ${to}`}
          problem={isDayValid ? null : t`Choose a date from ${from} to ${to}`}
          showsProblem={day !== null}
          value={day}
          onChange={setDay}
          range={{ min: tranches.earliest_date, max: tranches.latest_date, today: addDays(tranches.earliest_date, -1) }}
        />
        <TrancheOutcome
          loan={loan}
          request={isOfferedDay(day, tranches) ? request : null}
          leftOut={listOtherApproved(tranches.tranches, edited)}
        />
        {send.isError && !refusal && <TrancheFailure error={send.error} />}
      </Form>
    </Dialog>
  )
}

function useAmountProblem(check: TrancheAmountCheck, most: string | null): string | null {
  const { t } = useLingui()
  if (check.isValid) return null
  return check.problem === 'above_maximum' ? t`Amount cannot exceed ${most}` : t`Please enter a valid amount`
}

/** A refusal that the borrower can correct in one of the fields. */
function useFieldRefusal(error: unknown): { id: string; text: string } | null {
  const { t } = useLingui()
  const { code, problem } = error instanceof ApiError ? error : {}
  if (code === 'TrancheAboveMaximum') return { id: 'tranche-amount', text: t`This is more than the remaining amount of the loan.` }
  if (code === 'InvalidRequest' && problem?.field === 'date')
    return { id: 'tranche-date', text: t`This date is no longer available. Choose another one.` }
  return null
}

/** Why a request was refused; the form keeps what was typed. */
function TrancheFailure({ error }: { error: unknown }) {
  const { t, i18n } = useLingui()
  const code = error instanceof ApiError ? error.code : null
  let text = i18n._(getFailureText(error))
  if (code === 'TranchePending') text = t`Your lender has not yet decided on your last request.`
  else if (code === 'TrancheNotEditable')
    text = t`This tranche can no longer be changed: it has been disbursed or rejected, or its approved date has come.`
  else if (code === 'LoanNotActive' || code === 'TrancheNotAllowed') text = t`No disbursal can be requested for this loan now.`
  return (
    <Banner tone="danger" live="alert">
      {text}
    </Banner>
  )
}
