import { useRef, type ReactNode } from 'react'
import type { PermissionAnswer } from './action-state.ts'
import { ActionButton } from './action-button.tsx'
import { Banner } from './banner.tsx'
import { Button, type ButtonVariant } from './button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmDialogProps = {
  open: boolean
  title: string
  /** The question. */
  children: ReactNode
  confirmLabel: string
  cancelLabel: string
  confirmVariant?: ButtonVariant
  confirmPermission?: PermissionAnswer
  pending?: boolean
  /** Shown inside the dialog, which stays open. */
  error?: string | null
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before something is lost. Staying is as big and as near as going, and has the focus. */
export function ConfirmDialog({
  open,
  title,
  children,
  confirmLabel,
  cancelLabel,
  confirmVariant = 'danger',
  confirmPermission = 'allowed',
  pending = false,
  error = null,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const stay = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open={open}
      onClose={onCancel}
      title={title}
      description={children}
      initialFocus={stay}
      actions={
        <>
          <ActionButton
            variant={confirmVariant}
            permission={confirmPermission}
            state={pending ? 'loading' : error !== null ? 'error' : 'normal'}
            onClick={onConfirm}
          >
            {confirmLabel}
          </ActionButton>
          <Button ref={stay} variant="secondary" onClick={onCancel}>
            {cancelLabel}
          </Button>
        </>
      }
    >
      {error !== null && (
        <Banner tone="danger" live="alert" className="mt-4">
          {error}
        </Banner>
      )}
    </Dialog>
  )
}
