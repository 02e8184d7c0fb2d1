import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'
import { Wordmark } from '#web/app/brand.tsx'
import { cx } from '#web/ui/class-names.ts'
import { Icon } from '#web/ui/icon.tsx'
import { LanguageSwitch, toolClass } from '#web/ui/language-switch.tsx'
import { linkClass } from '#web/ui/link-class.ts'
import { OfflineNotice } from '#web/ui/offline-notice.tsx'
import { useThemeSwitch } from '#web/ui/use-theme-switch.ts'
import { LoginPicture } from './login-picture.tsx'

/** The page around a login: the spine with the picture, the switches, and the form. */
export function LoginFrame({ home, children }: { home: string; children: ReactNode }) {
  const { t } = useLingui()
  const { lender } = getPortalConfig().brand
  return (
    <div className="flex min-h-dvh flex-col md:grid md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <header className="on-spine relative min-h-38 overflow-hidden bg-spine px-4 pt-1.5 pr-1.5 text-on-spine md:flex md:flex-col md:px-12 md:py-10">
        <Switches className="float-right flex md:hidden" onSpine />
        {/* A plain link: it begins the login anew, and the login does without the router. */}
        <a href={home} className="inline-flex min-h-target items-center md:self-start">
          <Wordmark height={30} />
        </a>
        <LoginPicture />
        <div className="relative mt-auto hidden max-w-96 md:block">
          <p className="text-2xl font-semibold whitespace-pre-line">{t`Every instalment,\nto the rupee.`}</p>
          <p className="mt-2 text-on-spine-muted">{lender}</p>
        </div>
      </header>
      <div className="flex min-w-0 flex-auto flex-col">
        <OfflineNotice>{t`You are offline. Logging in needs a connection.`}</OfflineNotice>
        <main id="main" className="flex flex-auto flex-col px-4 pt-5 pb-6 md:px-8">
          <Switches className="hidden justify-end md:flex" />
          <div className="w-full md:m-auto md:max-w-100">{children}</div>
          <LenderFoot />
        </main>
      </div>
    </div>
  )
}

/** Who lends, and whom to call when logging in does not work. On a wide screen the spine names the lender. */
function LenderFoot() {
  const { t } = useLingui()
  const { brand, support } = getPortalConfig()
  return (
    <div className="mt-auto pt-8 text-sm text-muted md:mt-0 md:text-center">
      <p className="font-semibold text-ink md:hidden">{t`Every instalment, to the rupee.`}</p>
      {brand.lender && <p className="md:hidden">{brand.lender}</p>}
      {support.phone && (
        <p>
          {t`Trouble logging in? Call`}{' '}
          <a
            href={`tel:${support.phone.replace(/[^+\d]/g, '')}`}
            className={`${linkClass} inline-flex min-h-target items-center tabular-nums`}
          >
            {support.phone}
          </a>
        </p>
      )}
    </div>
  )
}

function Switches({ className, onSpine = false }: { className: string; onSpine?: boolean }) {
  const theme = useThemeSwitch()
  const tool = onSpine ? toolClass.replace('hover:bg-sunken', 'hover:bg-spine-hover') : toolClass
  return (
    <div className={cx('items-center gap-1', className)}>
      <LanguageSwitch className={tool} />
      <button type="button" className={tool} onClick={theme.toggle} aria-label={theme.label}>
        <Icon name={theme.icon} />
      </button>
    </div>
  )
}
