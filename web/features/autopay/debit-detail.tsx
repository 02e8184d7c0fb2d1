import { useLingui } from '@lingui/react/macro'
import type { Collection } from '#contract/autopay.ts'
import { notPresentedReason } from '#domain/autopay.ts'
import type { AutopayCardProps, ListedStep } from '#web/loan/autopay.ts'
import { InstantText } from '#web/loan/days.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { getShownSteps } from './autopay-state.ts'
import { DebitCovers } from './debit-covers.tsx'
import { Reference } from '#web/ui/reference.tsx'

/** What happened to a debit: its steps, receipts, what it paid, and its reference. */
export function DebitDetail({ debit, label, loan, StepList, ReceiptButton }: AutopayCardProps & { debit: Collection; label: string }) {
  const { t } = useLingui()
  const receipts = debit.steps.flatMap(({ receipt_number: number }) => (number === undefined ? [] : [number]))
  return (
    <>
      <StepList label={label} steps={useListedSteps(debit)} next={debit.status === 'presented' ? t`Waiting for the bank` : undefined} />
      <div className="-mx-3 flex flex-wrap">
        {receipts.map((number) => (
          <ReceiptButton key={number} loan={loan} receiptNumber={number} isNumbered={receipts.length > 1} />
        ))}
      </div>
      <DebitCovers loan={loan} debit={debit} />
      <Reference label={t`Debit reference`} text={debit.reference} />
    </>
  )
}

/** Our own steps in words; those of the money are named as in the trail of any payment. */
function useListedSteps(debit: Collection): ListedStep[] {
  const { t } = useLingui()
  return getShownSteps(debit).map((step) => {
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
        return done(debit.reason === notPresentedReason ? t`The request did not reach your bank` : t`The bank reported that it failed`)
      case 'skipped':
        return done(t`Skipped: nothing was debited`)
      default:
        return { ...step, step: step.step }
    }
  })
}
