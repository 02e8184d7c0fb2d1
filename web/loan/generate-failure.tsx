import { useLingui } from '@lingui/react/macro'
import { GenerateError, type GenerateStep } from './use-generate.ts'
import { Banner } from '#web/ui/banner.tsx'

/** Why a document could not be had, by where it failed (spec §8). */
export function GenerateFailure({ error }: { error: unknown }) {
  const { t } = useLingui()
  const step: GenerateStep = error instanceof GenerateError ? error.step : 'generate'
  const texts: Record<GenerateStep, string> = {
    generate: t`Failed to generate document, please retry`,
    no_address: t`No document URL received`,
    download: t`Failed to download file`,
  }
  return (
    <Banner tone="danger" live="alert" className="mt-3">
      {texts[step]}
    </Banner>
  )
}
