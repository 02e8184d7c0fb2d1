import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { cx } from '#web/ui/class-names.ts'
import { formatDay } from '#web/ui/format.ts'
import { useTranchePreview, type TrancheRequest } from './tranche-queries.ts'

/** The effect of the tranche on the instalments; the lines keep their place while it is unknown. */
export function TrancheOutcome({ loan, request }: { loan: Loan; request: TrancheRequest | null }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { preview, isLoading } = useTranchePreview(loan, request)
  const [before, after] = [preview?.unchanged, preview?.changed]
  const next = after?.next_row ?? null
  const following = after?.following_row ?? null
  const [nextDay, followingDay] = [next && formatDay(next.due_date, language), following && formatDay(following.due_date, language)]
  return (
    <section aria-label={t`What it would change`} aria-busy={isLoading}>
      <h3 className="text-sm">{t`What it would change`}</h3>
      <dl className={cx('mt-1 border-t border-line text-sm', isLoading && 'text-muted')}>
        <Line label={nextDay === null ? t`Next instalment` : t`Instalment of ${nextDay}`}>
          {next && <Change was={before?.next_row?.repayment_amount ?? null} now={next.repayment_amount} />}
        </Line>
        <Line label={followingDay === null ? t`The one after it` : t`Instalment of ${followingDay}`}>
          {following && <Change was={before?.following_row?.repayment_amount ?? null} now={following.repayment_amount} />}
        </Line>
        <Line label={t`EMI from then on`}>{after && <Change was={before?.emi_amount ?? null} now={after.emi_amount} />}</Line>
        <Line label={t`Last instalment`}>{after?.last_due_date && <DayText day={after.last_due_date} className="font-semibold" />}</Line>
        <Line label={t`Total interest`}>
          {after && <Change was={before?.total_interest_amount ?? null} now={after.total_interest_amount} />}
        </Line>
      </dl>
    </section>
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

type Amount = Parameters<typeof Money>[0]['amount']

function Change({ was, now }: { was: Amount | null; now: Amount }) {
  return (
    <>
      {was !== null && was !== now && (
        <>
          <s className="mr-1.5 text-xs text-muted">
            <Money amount={was} />
          </s>
          <span className="sr-only"> → </span>
        </>
      )}
      <Money amount={now} className="font-semibold" />
    </>
  )
}
