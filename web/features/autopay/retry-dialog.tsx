import { useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import type { Collection } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { ApiError } from '#web/api/api-error.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getCallState } from '#web/ui/action-state.ts'
import { Button } from '#web/ui/button.tsx'
import { DatePicker } from '#web/ui/date-picker.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form } from '#web/ui/field.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { useRetryDebit } from './autopay-queries.ts'
import { findFinalFocus } from './final-focus.ts'
import { RefusalNote } from './refusal-note.tsx'

type RetryDialogProps = { loan: Loan; debit: Collection; days: { from: Day; until: Day }; onClose: () => void }

/** Asks on which day a failed debit is tried once more. */
export function RetryDialog({ loan, debit, days, onClose }: RetryDialogProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const formId = useId()
  const retry = useRetryDebit(debit)
  const [day, setDay] = useState<Day | null>(null)
  const isValid = day !== null && day >= days.from && day <= days.until
  const [from, to] = [formatDay(days.from, language), formatDay(days.until, language)]
  const amount = formatMoney(debit.amount)
  const { problem } = retry.error instanceof ApiError ? retry.error : {}
  const refusal = problem?.field === 'date' ? { id: 'retry-date', text: t`This date is no longer available. Choose another one.` } : null
  return (
    <Dialog
      open
      isBusy={retry.isPending}
      holdsInput
      onClose={onClose}
      title={t`Debit again`}
      findFinalFocus={() => findFinalFocus(retry)}
      actions={
        <>
          <Button variant="secondary" state={retry.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button type="submit" form={formId} state={getCallState(retry)}>
            {t`Debit on this day`}
          </Button>
        </>
      }
    >
      <Form
        id={formId}
        className="space-y-4"
        refusal={refusal}
        onSubmit={() => {
          if (day !== null && isValid && !retry.isPending) retry.mutate(day, { onSuccess: onClose })
        }}
      >
        <p>{t`The debit of ${amount} is tried once more on the day that you choose. You are told the amount two days before.`}</p>
        <DatePicker
          id="retry-date"
          label={t`Date`}
          hint={t`From ${from} to ${to}`}
          problem={isValid ? null : t`Choose a date from ${from} to ${to}`}
          value={day}
          onChange={setDay}
          range={{ min: days.from, max: days.until, today: loan.as_of }}
        />
        {retry.isError && refusal === null && <RefusalNote error={retry.error} />}
      </Form>
    </Dialog>
  )
}
