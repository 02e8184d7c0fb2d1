import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { PartPaymentOutcome as Outcome } from '#contract/part-payments.ts'
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
      <Line label={t`EMI`}>
        <Change was={before && <Money amount={before.emi_amount} />} changes={after?.emi_amount !== before?.emi_amount}>
          {after && <Money amount={after.emi_amount} />}
        </Change>
      </Line>
      <Line label={t`Instalments left`}>
        <Change was={before?.instalments_left} changes={after?.instalments_left !== before?.instalments_left}>
          {after?.instalments_left}
        </Change>
      </Line>
      <Line label={t`Last EMI`}>{after?.last_due_date && <DayText day={after.last_due_date} className="font-semibold" />}</Line>
      <Line label={t`Interest saved`}>
        {after && <Money amount={after.interest_saved} className={cx('font-semibold', !isOld && 'text-positive')} />}
      </Line>
    </dl>
  )
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3 border-b border-line py-1 last:border-b-0">
      <dt className="text-muted">{label}</dt>
      <dd className="text-right tabular-nums">{children || '–'}</dd>
    </div>
  )
}

function Change({ was, changes, children }: { was: ReactNode; changes: boolean; children: ReactNode }) {
  if (!children) return '–'
  return (
    <>
      {changes && (
        <>
          <s className="mr-1.5 text-xs text-muted">{was}</s>
          <span className="sr-only"> → </span>
        </>
      )}
      <b className="font-semibold">{children}</b>
    </>
  )
}
