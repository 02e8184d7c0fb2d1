import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'

/** Stops the watching, not the payment: needs no permission (decision 33). */
export function StopWaitingDialog({ open, onKeep, onStop }: { open: boolean; onKeep: () => void; onStop: () => void }) {
  const { t } = useLingui()
  const keep = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open={open}
      onClose={onKeep}
      title={t`Stop waiting?`}
      description={t`Are you sure you want to cancel payment confirmation? Your payment status may not be updated immediately.`}
      initialFocus={keep}
      actions={
        <>
          <Button variant="danger" onClick={onStop}>
            {t`Stop waiting`}
          </Button>
          <Button ref={keep} onClick={onKeep}>
            {t`Keep waiting`}
          </Button>
        </>
      }
    />
  )
}
