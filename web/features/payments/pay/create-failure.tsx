import { useLingui } from '@lingui/react/macro'
import { ApiError } from '#web/api/api-error.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Banner } from '#web/ui/banner.tsx'
import { formatInstant } from '#web/ui/format.ts'
import { NoRedirectUrlError } from '../payments-controller.ts'

/**
 * A successful response without a usable URL has its own message (spec §8). What only waits for
 * another payment is no failure; a time to wait means an attempt that is not known at the provider
 * and shown nowhere.
 */
export function CreateFailure({ error }: { error: unknown }) {
  const { t } = useLingui()
  const language = useLanguage()
  if (error instanceof ApiError && error.code === 'AutopayInProgress') {
    const by = error.problem?.expected_by
    const moment = by === undefined ? null : formatInstant(new Date(by), language)
    return (
      <Banner tone="info" icon="clock" live="alert">
        {moment === null
          ? t`Your EMI is being debited by autopay, so nothing else can be paid now.`
          : t`Your EMI is being debited by autopay, so nothing else can be paid until ${moment}.`}
      </Banner>
    )
  }
  if (error instanceof ApiError && error.code === 'PaymentAlreadyPending') {
    return (
      <Banner tone="info" icon="clock" live="alert">
        {error.retryAfterSeconds === null
          ? t`Another payment of this loan is pending. Finish or cancel it first.`
          : t`Your last attempt is still being checked. Try again in two minutes, or make the same payment again.`}
      </Banner>
    )
  }
  const noAddress = error instanceof NoRedirectUrlError || (error instanceof ApiError && error.status !== null && error.status < 300)
  return (
    <Banner tone="danger" live="alert">
      {noAddress ? t`Failed to create payment link. Please try again.` : t`Failed to create payment. Please try again.`}
    </Banner>
  )
}
