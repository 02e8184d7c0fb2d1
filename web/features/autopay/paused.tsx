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
          ? t`Automatic payments are paused in your UPI app. Nothing is debited until you resume them there.`
          : t`Automatic payments are paused. Nothing is debited until you resume them.`}{' '}
        {t`Your EMIs stay due: pay them by hand.`}
      </Banner>
      <MandateFacts mandate={mandate} />
      <MandateActions mandate={mandate} />
    </>
  )
}
