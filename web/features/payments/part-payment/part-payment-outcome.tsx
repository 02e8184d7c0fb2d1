import { useLingui } from '@lingui/react/macro'
import type { PartPaymentOutcome as Outcome } from '#contract/part-payments.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { ChangedValue, NarrowOutcomeLine, renderMoney } from '#web/loan/changed-value.tsx'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { cx } from '#web/ui/class-names.ts'
import { formatDay } from '#web/ui/format.ts'

type PartPaymentOutcomeProps = {
  /** Null while unknown: the lines keep their place. */
  after: Outcome | null
  before: Outcome | null
  /** The figures belong to an amount typed before. */
  isOld: boolean
  /** New figures are loading. */
  isLoading: boolean
}

/**
 * The loan after a part payment; changed figures are shown beside the old ones. The saving is
 * first, at the same height for both purposes, so that they can be compared.
 */
export function PartPaymentOutcome({ after, before, isOld, isLoading }: PartPaymentOutcomeProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const from = after?.emi_from && after.emi_amount !== before?.emi_amount ? formatDay(after.emi_from, language) : null
  return (
    <dl aria-busy={isLoading} className={cx('text-sm', isOld && 'text-muted')}>
      <NarrowOutcomeLine label={t`Interest saved`}>
        {after && <Money amount={after.interest_saved} className={cx('font-semibold', !isOld && 'text-positive')} />}
      </NarrowOutcomeLine>
      <NarrowOutcomeLine label={from === null ? t`EMI` : t`EMI from ${from}`}>
        <ChangedValue before={before?.emi_amount} after={after?.emi_amount} render={renderMoney} />
      </NarrowOutcomeLine>
      <NarrowOutcomeLine label={t`Instalments left`}>
        <ChangedValue before={before?.instalments_left} after={after?.instalments_left} render={String} />
      </NarrowOutcomeLine>
      <NarrowOutcomeLine label={t`Last EMI`}>
        {after?.last_due_date && <DayText day={after.last_due_date} className="font-semibold" />}
      </NarrowOutcomeLine>
    </dl>
  )
}
