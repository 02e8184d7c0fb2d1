import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { usePageTitle } from '#web/app/page-title.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Trail, type TrailStep } from '#web/ui/trail.tsx'
import { usePauses } from './use-pauses.ts'
import { useWaiting } from './use-waiting.ts'
import { ProgressBars } from './waiting-picture.tsx'
import { WaitingResultView } from './waiting-result.tsx'
import { ReferenceBox, WaitingScreen, waitingText, waitingTitle } from './waiting-screen.tsx'

/**
 * The page after a payment (spec §4 'Waiting page'). It waits until the payment is confirmed and
 * in the ledger, shows the result, and returns to the payments tab.
 */
export function WaitingPage({ paymentLinkId }: { paymentLinkId: string }) {
  const { t, i18n } = useLingui()
  const { state, dispatch } = useWaiting(paymentLinkId)
  const handlers = usePauses(dispatch)
  const leave = () => dispatch({ type: 'leave' })
  const [isStopDialogOpen, setIsStopDialogOpen] = useState(false)
  const status = state.phase === 'left' ? 'waiting' : state.status
  usePageTitle(t`Payment confirmation`)

  if (state.phase === 'left') return <WaitingScreen title={t`Payment confirmation`} />
  if (state.phase === 'resolved') {
    return <WaitingResultView result={state} paymentLinkId={paymentLinkId} handlers={handlers} dispatch={dispatch} />
  }
  return (
    <WaitingScreen
      title={i18n._(waitingTitle[status])}
      text={i18n._(waitingText[status])}
      picture={<ProgressBars filled={state.status === 'waiting' ? 1 : 2} />}
    >
      <Card label={t`Steps of your payment`}>
        <Steps isPaid={state.status === 'syncing'} />
      </Card>
      <ReferenceBox reference={paymentLinkId} />
      <p className="text-center text-sm text-muted">
        {status === 'syncing'
          ? t`You may close this page. Do not pay again.`
          : t`You may close this page. If money has already left your account, do not pay again.`}
      </p>
      <p className="text-center">
        <Button variant="quiet" onClick={() => setIsStopDialogOpen(true)}>
          {t`Stop waiting`}
        </Button>
      </p>
      <StopWaitingDialog open={isStopDialogOpen} onKeep={() => setIsStopDialogOpen(false)} onStop={leave} />
    </WaitingScreen>
  )
}

/** The page before its code is loaded. */
export function WaitingSkeleton() {
  const { i18n } = useLingui()
  return <WaitingScreen title={i18n._(waitingTitle.waiting)} text={i18n._(waitingText.waiting)} picture={<ProgressBars filled={1} />} />
}

function Steps({ isPaid }: { isPaid: boolean }) {
  const { t } = useLingui()
  const steps: TrailStep[] = isPaid
    ? [
        { state: 'done', title: t`Payment received` },
        { state: 'now', title: t`Updating your loan balance`, detail: t`usually under a minute` },
        { state: 'todo', title: t`Done` },
      ]
    : [
        { state: 'now', title: t`Waiting for the payment`, detail: t`usually a few seconds` },
        { state: 'todo', title: t`Updating your loan balance` },
        { state: 'todo', title: t`Done` },
      ]
  return <Trail label={t`Steps of your payment`} steps={steps} />
}

/**
 * Asks before the page stops polling. This does not cancel the payment, so it needs no permission
 * (decision 33).
 */
function StopWaitingDialog({ open, onKeep, onStop }: { open: boolean; onKeep: () => void; onStop: () => void }) {
  const { t } = useLingui()
  const keepButton = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open={open}
      onClose={onKeep}
      title={t`Stop waiting?`}
      description={t`Are you sure you want to cancel payment confirmation? Your payment status may not be updated immediately.`}
      initialFocus={keepButton}
      actions={
        <>
          <Button variant="danger" onClick={onStop}>
            {t`Stop waiting`}
          </Button>
          <Button ref={keepButton} onClick={onKeep}>
            {t`Keep waiting`}
          </Button>
        </>
      }
    />
  )
}
