import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type HTMLAttributes, type ReactNode, useEffect, useRef } from 'react'
import { Wordmark } from '#web/app/brand.tsx'
import { AssumedPill } from '#web/app/shell/assumed-session.tsx'
import { OfflineNotice } from '#web/ui/banner.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import type { WaitingResult } from './waiting-state.ts'

type WaitingScreenProps = {
  title: string
  text?: string
  picture?: ReactNode
  children?: ReactNode
  /** Stays in view at the bottom of the screen, except on very low ones. */
  footer?: ReactNode
  /** What the dialog reports about the person's input. */
  handlers?: HTMLAttributes<HTMLElement>
}

/** The full-screen frame of the waiting page: nothing else is reachable meanwhile. */
export function WaitingScreen({ title, text, picture, children, footer, handlers }: WaitingScreenProps) {
  const { t } = useLingui()
  const heading = useRef<HTMLHeadingElement>(null)
  // A new heading takes the focus, so that screen readers read the new step.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div
      role="dialog"
      aria-modal="true"
      aria-labelledby="waiting-title"
      {...handlers}
      className="fixed inset-0 z-30 flex flex-col overflow-auto bg-surface"
    >
      <header className="on-spine sticky top-0 z-10 flex-none">
        <div className="flex min-h-bar items-center bg-spine px-4 text-on-spine">
          <Wordmark height={26} />
        </div>
        <AssumedPill bar />
      </header>
      <OfflineNotice>{t`You are offline. What you see may not be up to date.`}</OfflineNotice>
      <main className="m-auto w-full max-w-[30rem] px-4 py-8">
        {picture}
        <div className="mb-6 text-center">
          <h1 ref={heading} id="waiting-title" tabIndex={-1}>
            {title}
          </h1>
          <p role="status" className="text-balance text-muted">
            {text}
          </p>
        </div>
        <div className="space-y-4">{children}</div>
      </main>
      {footer && (
        <footer className="border-t border-line bg-raised px-4 pt-2.5 pb-[calc(0.625rem+env(safe-area-inset-bottom))] [@media(min-height:30rem)]:sticky [@media(min-height:30rem)]:bottom-0">
          <div className="mx-auto max-w-[28rem]">{footer}</div>
        </footer>
      )}
    </div>
  )
}

/** The payment's reference, to be copied or read to support. */
export function ReferenceBox({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <div className="flex items-center justify-between gap-2 rounded-md border border-dashed border-line-strong bg-raised py-1 pr-1 pl-4">
      <div className="min-w-0">
        <p className="text-xs text-muted">{t`Payment reference`}</p>
        <p className="font-semibold break-all select-all">{reference}</p>
      </div>
      <CopyButton text={reference} />
    </div>
  )
}

/** The texts of the waiting page, word for word from spec §4 and decision 42. */
export const waitingText: Record<'waiting' | 'syncing' | WaitingResult, MessageDescriptor> = {
  waiting: msg`We are waiting for your bank to confirm the payment.`,
  syncing: msg`Payment processed successfully! We are now syncing your loan balance.`,
  success: msg`Payment successful! Your loan balance has been updated.`,
  expired: msg`Payment link has expired. Please try again with a new payment link.`,
  cancelled: msg`Payment was cancelled. Please initiate a new payment.`,
  success_no_rps: msg`Payment received but we're facing delays updating your loan balance. It will reflect shortly.`,
  timeout: msg`We're experiencing issues syncing your payment. Please check your dashboard.`,
}

export const waitingTitle: Record<'waiting' | 'syncing' | WaitingResult, MessageDescriptor> = {
  waiting: msg`Confirming your payment`,
  syncing: msg`Confirming your payment`,
  success: msg`Payment complete`,
  expired: msg`This link has expired`,
  cancelled: msg`Payment cancelled`,
  success_no_rps: msg`We have your payment`,
  timeout: msg`This is taking longer than usual`,
}
