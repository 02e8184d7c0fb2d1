import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Mandate } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getSafeRedirectUrl } from '#web/loan/safe-redirect-url.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { getButtonClass } from '#web/ui/button-class.ts'
import { Button } from '#web/ui/button.tsx'
import { formatTime } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { focusPartWhenRemoved } from '#web/ui/move-focus.ts'
import { useAwaitedMandate } from './autopay-queries.ts'
import { MandateFacts } from './mandate-facts.tsx'
import { CancelDialog } from './lazy-dialogs.ts'

/** Waits until the provider has confirmed the end of a mandate. */
export function EndingMandate({ loan, mandate }: { loan: Loan; mandate: Mandate }) {
  const { t } = useLingui()
  useAwaitedMandate(loan, mandate)
  return <p className="text-sm">{t`Nothing more will be debited. We are informing your bank.`}</p>
}

/** Waits for the borrower's approval on the provider's page, then for the bank. */
export function WaitingMandate({ loan, mandate }: { loan: Loan; mandate: Mandate }) {
  const { t } = useLingui()
  const language = useLanguage()
  const permission = usePermission('mandate:update')
  const mayCreate = usePermission('mandate:create')
  const { isAsking, askAgain } = useAwaitedMandate(loan, mandate)
  const [isCancelling, setIsCancelling] = useState(false)
  const address = getSafeRedirectUrl(mandate.redirect_url ?? undefined, getPortalConfig().payment_origins)
  const until = mandate.expires_at === null ? '' : formatTime(mandate.expires_at, language)
  const isWithBank = mandate.status === 'initiated'
  return (
    <>
      <p className="max-w-[36rem] text-sm">
        {isWithBank
          ? t`You have approved it. Your bank confirms it, usually on the next working day. Until then nothing is debited: pay your EMI yourself.`
          : mandate.method === 'upi'
            ? t`Approve it once in your UPI app. UPI takes ₹1 to check the account and returns it.`
            : t`Approve it once with your bank. Nothing is debited for that.`}{' '}
        {until !== '' && t`The page for it works until ${until}.`}
      </p>
      <div className="mt-3 flex flex-col gap-3 md:flex-row">
        {address !== null && mayCreate === 'allowed' && (
          <a href={address} target="_blank" rel="noopener noreferrer" className={getButtonClass('primary', 'md', 'normal', false)}>
            {mandate.method === 'upi' ? t`Approve in the UPI app` : t`Approve with the bank`}
            <Icon name="external" size={18} className="flex-none" />
            <span className="sr-only"> {t`opens in a new tab`}</span>
          </a>
        )}
        <ActionButton variant="quiet" permission={permission} onClick={() => setIsCancelling(true)}>
          {t`Cancel the request`}
        </ActionButton>
      </div>
      <div role="status" className="mt-3 text-sm text-muted">
        {isAsking ? (
          <p className="flex items-center gap-2">
            <Icon name="clock" size={16} className="flex-none" />{' '}
            {isWithBank
              ? t`Waiting for the bank. This page updates on its own.`
              : t`Waiting for your approval. This page updates on its own.`}
          </p>
        ) : (
          <Banner tone="info">
            <p>
              {isWithBank
                ? t`This page no longer checks by itself. Check again later.`
                : t`This page no longer checks by itself. If you have approved it, check again.`}
            </p>
            <Button ref={focusPartWhenRemoved} variant="secondary" size="sm" icon="retry" className="mt-2" onClick={askAgain}>
              {t`Check again`}
            </Button>
          </Banner>
        )}
      </div>
      <MandateFacts mandate={mandate} />
      {isCancelling && (
        <Suspense>
          <CancelDialog mandate={mandate} onClose={() => setIsCancelling(false)} />
        </Suspense>
      )}
    </>
  )
}
