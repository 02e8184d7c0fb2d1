import { useLingui } from '@lingui/react/macro'
import type { Mandate } from '#contract/autopay.ts'
import { Banner } from '#web/ui/banner.tsx'
import { MandateActions } from './mandate-actions.tsx'
import { MandateFacts } from './mandate-facts.tsx'

/** A paused mandate. If it was paused in the UPI app, it can be resumed only there. */
export function Paused({ mandate }: { mandate: Mandate }) {
  const { t } = useLingui()
  return (
    <>
      <Banner tone="caution" icon="info">
        {mandate.paused_by === 'app'
          ? t`Autopay is paused in your UPI app. Nothing is debited until you resume it there.`
          : t`Autopay is paused. Nothing is debited until you resume it.`}{' '}
        {t`Your EMIs stay due: pay them yourself.`}
      </Banner>
      <MandateFacts mandate={mandate} />
      <MandateActions mandate={mandate} />
    </>
  )
}
