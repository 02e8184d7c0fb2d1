import { useLingui } from '@lingui/react/macro'
import type { RateReset } from '#contract/rate-resets.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { TwoBalanceCurves } from '#web/loan/two-balance-curves.tsx'
import { formatMonth } from '#web/ui/format.ts'
import type { ResetOption } from './reset-form.ts'
import { choiceText } from './reset-texts.ts'

type ResetCurvesProps = { reset: RateReset; unchanged: NonNullable<RateReset['unchanged']>; option: ResetOption }

/** The balance with an option beside the balance at today's rate. */
export function ResetCurves({ reset: { from, to }, unchanged, option }: ResetCurvesProps) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const name = i18n._(choiceText[option.option])
  const [end, endUnchanged] = [option.last_due_date, unchanged.last_due_date].map((day) => formatMonth(day, language))
  return (
    <TwoBalanceCurves
      title={t`Your balance`}
      label={t`${name}: the loan ends in ${end}. At today’s rate it ends in ${endUnchanged}.`}
      unchanged={{ name: t`At today’s rate of ${from}%`, balances: unchanged.balances }}
      changed={{ name: t`${name}, at ${to}%`, balances: option.balances }}
    />
  )
}
