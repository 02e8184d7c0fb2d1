import { useLingui } from '@lingui/react/macro'
import { Banner } from '#web/ui/banner.tsx'
import { getRefusalText } from './autopay-texts.ts'

/** Why a call about autopay was refused. */
export function RefusalNote({ error, className }: { error: unknown; className?: string }) {
  const { i18n } = useLingui()
  return (
    <Banner tone="danger" live="alert" {...(className !== undefined && { className })}>
      {i18n._(getRefusalText(error))}
    </Banner>
  )
}
