import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { Mandate } from '#contract/autopay.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { focusPartWhenRemoved } from '#web/ui/move-focus.ts'
import { useChangeMandate } from './autopay-queries.ts'
import { getRefusalText } from './autopay-texts.ts'
import { findFinalFocus } from './final-focus.ts'
import { CancelDialog } from './lazy-dialogs.ts'
import { RefusalNote } from './refusal-note.tsx'

/** Pause or resume, and cancel. Pausing and cancelling ask for confirmation. */
export function MandateActions({ mandate }: { mandate: Mandate }) {
  const { t, i18n } = useLingui()
  const permission = usePermission('mandate:update')
  const change = useChangeMandate(mandate)
  const [openDialog, setOpenDialog] = useState<'pause' | 'cancel' | null>(null)
  const ask = (what: 'pause' | 'cancel'): void => {
    change.reset()
    setOpenDialog(what)
  }
  const isPaused = mandate.status === 'paused'
  const canResume = isPaused && mandate.paused_by === 'portal'
  return (
    <>
      {change.isError && openDialog === null && <RefusalNote error={change.error} className="mt-3" />}
      <div className="mt-2 flex flex-wrap items-start gap-x-3 gap-y-2">
        {canResume && (
          <ActionButton
            ref={focusPartWhenRemoved}
            permission={permission}
            state={getCallState(change)}
            onClick={() => change.mutate('resume')}
          >
            {t`Resume`}
          </ActionButton>
        )}
        {!isPaused && (
          <ActionButton variant="secondary" permission={permission} onClick={() => ask('pause')}>
            {t`Pause`}
          </ActionButton>
        )}
        {/* The button beside it shows the same reason as text. */}
        <ActionButton variant="quiet" permission={permission} showReason={isPaused && !canResume} onClick={() => ask('cancel')}>
          {t`End autopay`}
        </ActionButton>
      </div>
      <ConfirmDialog
        open={openDialog === 'pause'}
        title={t`Pause autopay?`}
        confirmLabel={t`Pause`}
        confirmVariant="primary"
        cancelLabel={t`Keep it on`}
        pending={change.isPending}
        error={change.error && i18n._(getRefusalText(change.error))}
        findFinalFocus={() => findFinalFocus(change)}
        onConfirm={() => change.mutate('pause', { onSuccess: () => setOpenDialog(null) })}
        onCancel={() => setOpenDialog(null)}
      >
        <p>{t`Nothing is debited until you resume, not even what is announced, except what your bank is carrying out already. Your EMIs stay due: pay them yourself.`}</p>
      </ConfirmDialog>
      {openDialog === 'cancel' && (
        <Suspense>
          <CancelDialog mandate={mandate} onClose={() => setOpenDialog(null)} />
        </Suspense>
      )}
    </>
  )
}
