import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { Tranche } from '#contract/tranches.ts'
import { FailureLine } from '#web/app/loading/failure-panel.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { ChangedValue, OutcomeLine, renderMoney } from '#web/loan/changed-value.tsx'
import { DayText } from '#web/loan/days.tsx'
import { cx } from '#web/ui/class-names.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { useTranchePreview, type TrancheRequest } from './tranche-queries.ts'

type TrancheOutcomeProps = {
  loan: Loan
  request: TrancheRequest | null
  /** Approved tranches that the figures leave out. */
  leftOut: readonly Tranche[]
}

/** The effect of the tranche on the instalments; the lines keep their place while it is unknown. */
export function TrancheOutcome({ loan, request, leftOut }: TrancheOutcomeProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const { preview, isLoading, failure } = useTranchePreview(loan, request)
  const [before, after] = [preview?.unchanged, preview?.changed]
  const next = after?.next_row ?? null
  const following = after?.following_row ?? null
  const [nextDay, followingDay] = [next && formatDay(next.due_date, language), following && formatDay(following.due_date, language)]
  return (
    <section aria-label={t`What this would change`} aria-busy={isLoading}>
      <h3 className="text-sm">{t`What this would change`}</h3>
      <dl className={cx('mt-1 border-t border-line text-sm', isLoading && 'text-muted')}>
        <OutcomeLine label={nextDay === null ? t`Next instalment` : t`Instalment of ${nextDay}`}>
          <ChangedValue before={before?.next_row?.repayment_amount} after={next?.repayment_amount} render={renderMoney} />
        </OutcomeLine>
        <OutcomeLine label={followingDay === null ? t`The instalment after that` : t`Instalment of ${followingDay}`}>
          <ChangedValue before={before?.following_row?.repayment_amount} after={following?.repayment_amount} render={renderMoney} />
        </OutcomeLine>
        <OutcomeLine label={t`EMI from then on`}>
          <ChangedValue before={before?.emi_amount} after={after?.emi_amount} render={renderMoney} />
        </OutcomeLine>
        <OutcomeLine label={t`Last instalment`}>
          {after?.last_due_date && <DayText day={after.last_due_date} className="font-semibold" />}
        </OutcomeLine>
        <OutcomeLine label={t`Total interest`}>
          <ChangedValue before={before?.total_interest_amount} after={after?.total_interest_amount} render={renderMoney} />
        </OutcomeLine>
      </dl>
      {leftOut.map((tranche) => (
        <LeftOut key={tranche.partner_tranche_id} tranche={tranche} />
      ))}
      {failure && (
        <p className="mt-2 text-sm">
          <FailureLine {...failure} title={t`The effect could not be loaded`} />
        </p>
      )}
    </section>
  )
}

function LeftOut({ tranche }: { tranche: Tranche }) {
  const { t } = useLingui()
  const language = useLanguage()
  const [amount, day] = [formatMoney(tranche.tranche_amount), formatDay(tranche.date_of_disbursement, language)]
  return <p className="mt-2 text-sm text-caution">{t`Without the ${amount} already approved for ${day}.`}</p>
}
