import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { AutopayOfferOnWire, Mandate } from '#contract/autopay.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { autopayQuery, type RenewMandateProps } from '#web/loan/autopay.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { getAutopayState } from './autopay-state.ts'
import { EndingMandate, WaitingMandate } from './waiting-mandate.tsx'
import { CancelDialog, SetUpDialog } from './lazy-dialogs.ts'

/**
 * Offers a mandate with a higher limit where the current one is too low for an EMI. A loan has one
 * mandate: the current one ends first, and then the new one is set up.
 */
export function RenewMandate({ loan, instalment }: RenewMandateProps) {
  const autopay = useLoad(autopayQuery(loan, useLanguage()))
  const [isRenewing, setIsRenewing] = useState(false)
  if (autopay.data === undefined) return null
  const state = getAutopayState(autopay.data)
  switch (state.kind) {
    case 'active':
    case 'announced':
    case 'paused':
      return <TooLow mandate={state.mandate} instalment={instalment} onRenew={() => setIsRenewing(true)} />
    case 'ending':
      return isRenewing && <EndingMandate loan={loan} mandate={state.mandate} />
    case 'offered':
      // Who had none, or ended it elsewhere, finds the offer on the payments tab.
      return isRenewing && <Ended loan={loan} offer={state.offer} instalment={instalment} />
    case 'waiting':
      return isRenewing && <WaitingMandate key={state.mandate.id} loan={loan} mandate={state.mandate} />
    default:
      return null
  }
}

type TooLowProps = Pick<RenewMandateProps, 'instalment'> & { mandate: Mandate; onRenew: () => void }

/** The mandate allows less than the EMI: what happens, and the first step. */
function TooLow({ mandate, instalment, onRenew }: TooLowProps) {
  const { t } = useLingui()
  const permission = usePermission('mandate:update')
  const [isOpen, setIsOpen] = useState(false)
  if (instalment <= mandate.debit_limit) return null
  const [emi, limit] = [formatMoney(instalment), formatMoney(mandate.debit_limit)]
  return (
    <Banner tone="caution">
      <p>{t`Your autopay allows ${limit} for each debit. An EMI of ${emi} is more, so it would not be debited.`}</p>
      <p className="mt-1">{t`To raise the limit, end autopay with an OTP, then approve a new one here.`}</p>
      <div className="mt-2">
        <ActionButton
          variant="secondary"
          permission={permission}
          onClick={() => {
            onRenew()
            setIsOpen(true)
          }}
        >
          {t`Set up a higher limit`}
        </ActionButton>
      </div>
      {isOpen && (
        <Suspense>
          <CancelDialog mandate={mandate} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </Banner>
  )
}

type EndedProps = RenewMandateProps & { offer: AutopayOfferOnWire }

/** The mandate has ended: the second step. */
function Ended({ loan, offer, instalment }: EndedProps) {
  const { t } = useLingui()
  const permission = usePermission('mandate:create')
  const [isOpen, setIsOpen] = useState(false)
  const emi = formatMoney(instalment)
  return (
    <Banner tone="info" live="status">
      <p>{t`Your autopay has ended. Set up a new one that allows an EMI of ${emi}.`}</p>
      <div className="mt-2">
        <ActionButton permission={permission} onClick={() => setIsOpen(true)}>
          {t`Set up autopay`}
        </ActionButton>
      </div>
      {isOpen && (
        <Suspense>
          <SetUpDialog loan={loan} offer={offer} leastCap={instalment} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </Banner>
  )
}
