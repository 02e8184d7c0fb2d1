import { useLingui } from '@lingui/react/macro'
import type { PartPaymentOutcome as Outcome } from '#contract/part-payments.ts'
import { ChangedValue, OutcomeLine, renderMoney } from '#web/loan/changed-value.tsx'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { cx } from '#web/ui/class-names.ts'

type PartPaymentOutcomeProps = {
  /** Null while unknown: the lines keep their place. */
  after: Outcome | null
  before: Outcome | null
  /** The figures belong to an amount typed before. */
  isOld: boolean
  /** New figures are loading. */
  isLoading: boolean
}

/** The loan after a part payment; changed figures are shown beside the old ones. */
export function PartPaymentOutcome({ after, before, isOld, isLoading }: PartPaymentOutcomeProps) {
  const { t } = useLingui()
  return (
    <dl aria-busy={isLoading} className={cx('border-t border-line text-sm', isOld && 'text-muted')}>
      <OutcomeLine label={t`EMI`}>
        <ChangedValue before={before?.emi_amount} after={after?.emi_amount} render={renderMoney} />
      </OutcomeLine>
      <OutcomeLine label={t`Instalments left`}>
        <ChangedValue before={before?.instalments_left} after={after?.instalments_left} render={String} />
      </OutcomeLine>
      <OutcomeLine label={t`Last EMI`}>
        {after?.last_due_date && <DayText day={after.last_due_date} className="font-semibold" />}
      </OutcomeLine>
      <OutcomeLine label={t`Interest saved`}>
        {after && <Money amount={after.interest_saved} className={cx('font-semibold', !isOld && 'text-positive')} />}
      </OutcomeLine>
    </dl>
  )
}
