import { useLingui } from '@lingui/react/macro'
import type { RateReset } from '#contract/rate-resets.ts'
import type { ResetChoice } from '#domain/rate-resets.ts'
import { ChangedValue, NarrowOutcomeLine, renderMoney } from '#web/loan/changed-value.tsx'
import { DayText } from '#web/loan/days.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import type { ResetOption } from './reset-form.ts'
import { choiceMeaning, choiceText } from './reset-texts.ts'

type ResetOptionsProps = { reset: RateReset; chosen: ResetChoice; onChoose: (option: ResetChoice) => void }

/** The options side by side, each with what it changes against today's rate. */
export function ResetOptions({ reset, chosen, onChoose }: ResetOptionsProps) {
  const { t, i18n } = useLingui()
  return (
    <OptionGroup legend={t`Your options`} hideLegend={false}>
      <div className="grid grid-cols-2 gap-2 md:gap-3">
        {reset.options.map((option) => (
          <OptionCard
            key={option.option}
            name="rate-reset-option"
            value={option.option}
            checked={option.option === chosen}
            onSelect={() => onChoose(option.option)}
            title={i18n._(choiceText[option.option])}
            description={i18n._(choiceMeaning[option.option])}
            isHalf
          >
            <OptionOutcome option={option} unchanged={reset.unchanged} isDefault={option.option === reset.default} />
            {option.exceeds_mandate_cap && <span className="mt-1 block text-xs text-caution">{t`More than your autopay allows`}</span>}
          </OptionCard>
        ))}
      </div>
      <p className="mt-2 text-sm text-muted">{t`Struck through: your loan if the rate stayed as it is.`}</p>
    </OptionGroup>
  )
}

type OptionOutcomeProps = { option: ResetOption; unchanged: RateReset['unchanged']; isDefault?: boolean }

/** The loan with an option; figures that change are beside those of today's rate. */
export function OptionOutcome({ option, unchanged, isDefault = false }: OptionOutcomeProps) {
  const { t } = useLingui()
  return (
    <>
      <dl className="text-sm">
        {option.amount !== undefined && <NarrowOutcomeLine label={t`Paid now`}>{renderMoney(option.amount)}</NarrowOutcomeLine>}
        <NarrowOutcomeLine label={t`EMI`}>
          <ChangedValue before={unchanged?.instalment} after={option.instalment} render={renderMoney} />
        </NarrowOutcomeLine>
        <NarrowOutcomeLine label={t`Instalments left`}>
          <ChangedValue before={unchanged?.instalments_left} after={option.instalments_left} render={String} />
        </NarrowOutcomeLine>
        <NarrowOutcomeLine label={t`Last EMI`}>
          <ChangedValue before={unchanged?.last_due_date} after={option.last_due_date} render={(day) => <DayText day={day} />} />
        </NarrowOutcomeLine>
        <NarrowOutcomeLine label={t`Total interest`}>
          <ChangedValue before={unchanged?.total_interest} after={option.total_interest} render={renderMoney} />
          {unchanged && <InterestDifference option={option} unchanged={unchanged} />}
        </NarrowOutcomeLine>
      </dl>
      {isDefault && <span className="mt-1 block text-xs font-semibold">{t`Applies if you choose nothing`}</span>}
    </>
  )
}

function InterestDifference({ option, unchanged }: { option: ResetOption; unchanged: NonNullable<RateReset['unchanged']> }) {
  const { t } = useLingui()
  const difference = option.total_interest - unchanged.total_interest
  if (difference === 0n) return null
  const amount = formatMoney((difference < 0n ? -difference : difference) as typeof option.total_interest)
  return <span className="basis-full text-xs text-muted md:text-right">{difference > 0n ? t`${amount} more` : t`${amount} less`}</span>
}
