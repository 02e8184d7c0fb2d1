import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Banner } from '#web/ui/banner.tsx'
import { PhoneLink } from '#web/ui/contact-links.tsx'
import { formatTime } from '#web/ui/format.ts'
import { useIsAnnounceable } from '#web/ui/live-region.ts'
import type { LoginState } from './login-state.ts'

/** Says when the code was sent; or that it was not, and whom to call. */
export function CodeSent({ sent, delivery }: Pick<LoginState, 'sent' | 'delivery'>) {
  const { t } = useLingui()
  const language = useLanguage()
  const isReady = useIsAnnounceable()
  if (sent === null) return null
  const time = formatTime(new Date(sent.atMs), language)
  return (
    <div role="status" className="min-h-5.5 text-sm">
      {isReady &&
        (delivery === 'failed' ? (
          <NotSent>{t`We could not send your OTP. Ask for a new one.`}</NotSent>
        ) : delivery === 'late' ? (
          <NotSent>{t`Your OTP could not be sent within 30 seconds. It may still arrive.`}</NotSent>
        ) : (
          // A new element for each code: the same minute is read again.
          <p key={sent.times} className="text-muted tabular-nums">
            {sent.times === 1 ? t`OTP sent at ${time}` : t`New OTP sent at ${time}`}
          </p>
        ))}
    </div>
  )
}

function NotSent({ children }: { children: ReactNode }) {
  const { phone } = getPortalConfig().support
  return (
    <Banner tone="danger">
      {children}{' '}
      {phone && (
        <Trans>
          If it does not arrive, call <PhoneLink phone={phone} />.
        </Trans>
      )}
    </Banner>
  )
}
