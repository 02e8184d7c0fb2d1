import { useLingui } from '@lingui/react/macro'
import { ApiError } from '#web/api/api-error.ts'
import { Banner } from '#web/ui/banner.tsx'
import { NoRedirectUrlError } from '../use-payments.ts'

/** A good answer without an address, by the contract's finding or by ours, is told apart from every other failure (spec §8). */
export function CreateFailure({ error }: { error: unknown }) {
  const { t } = useLingui()
  const noAddress = error instanceof NoRedirectUrlError || (error instanceof ApiError && error.status !== null && error.status < 300)
  return (
    <Banner tone="danger" live="alert">
      {noAddress ? t`Failed to create payment link. Please try again.` : t`Failed to create payment. Please try again.`}
    </Banner>
  )
}
