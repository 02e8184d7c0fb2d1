import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { LenderLinks, Wordmark } from '#web/app/brand.tsx'
import { getPortalConfig } from '#web/portal-config.ts'
import { OfflineNotice } from '#web/ui/banner.tsx'
import { PhoneLink } from '#web/ui/contact-links.tsx'
import { PageSwitches } from '#web/ui/page-switches.tsx'

/**
 * The page around a login form: the dark column with the chart, and the language and theme
 * switches.
 */
export function LoginFrame({ home, children }: { home: string; children: ReactNode }) {
  const { t } = useLingui()
  const { lender } = getPortalConfig().brand
  return (
    <div className="flex min-h-dvh flex-col md:grid md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <header className="on-spine relative min-h-38 overflow-hidden bg-spine px-4 pt-1.5 pr-1.5 text-on-spine md:flex md:flex-col md:px-12 md:py-10">
        <PageSwitches className="float-right flex md:hidden" onSpine />
        {/* A plain link: it restarts the login, which has no router. */}
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
        <OfflineNotice>{t`You are offline. You need an internet connection to sign in.`}</OfflineNotice>
        <main id="main" className="flex flex-auto flex-col px-4 pt-5 pb-6 md:px-8">
          <PageSwitches className="hidden justify-end md:flex" />
          <div className="w-full md:m-auto md:max-w-100">{children}</div>
          <LenderFoot />
        </main>
      </div>
    </div>
  )
}

/**
 * The lender, and whom to call when logging in fails. On a wide screen the dark column names the
 * lender.
 */
function LenderFoot() {
  const { t } = useLingui()
  const { brand, support } = getPortalConfig()
  return (
    <div className="mt-auto pt-8 text-sm text-muted md:mt-0 md:text-center">
      <p className="font-semibold text-ink md:hidden">{t`Every instalment, to the rupee.`}</p>
      {brand.lender && <p className="md:hidden">{brand.lender}</p>}
      {support.phone && (
        <p>
          {t`Trouble signing in? Call`} <PhoneLink phone={support.phone} className="inline-flex min-h-target items-center" />
        </p>
      )}
      <LenderLinks className="md:justify-center" />
    </div>
  )
}

const bars = 24
const paidBars = 8

/** A decorative chart of a falling loan balance; the paid bars are highlighted. */
function LoginPicture() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 100"
      preserveAspectRatio="none"
      className="absolute top-17 right-0 left-4 h-21 w-[calc(100%-1rem)] md:top-30 md:left-12 md:h-76 md:w-[calc(100%-3rem)]"
    >
      <rect width={bars} height={1.6} className="fill-spine-mark" />
      <path d={drawBars(0, paidBars)} className="fill-spine-bar" />
      <path d={drawBars(paidBars, bars)} className="fill-spine-bar-left" />
    </svg>
  )
}

/** One path for many bars: it renders faster than an element for each bar. */
const drawBars = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset
    const height = (96 * computeBalanceShare(index / bars)).toFixed(1)
    return `M${index}.16 1.6h.68v${height}h-.68z`
  }).join('')

/** The balance left of a loan of equal instalments after a share of its term, from 1 to 0. */
const computeBalanceShare = (share: number): number => (Math.exp(1.2) - Math.exp(1.2 * share)) / (Math.exp(1.2) - 1)
