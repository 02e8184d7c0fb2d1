import { type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { ActionButton } from './action-button.tsx'
import type { PermissionAnswer } from './action-state.ts'
import { Banner } from './banner.tsx'
import type { ButtonVariant } from './button-class.ts'
import { Button } from './button.tsx'
import { createLazyPart, usePreloadWhenIdle } from './lazy-part.tsx'

export type DialogProps = {
  open: boolean
  onClose: () => void
  title: string
  /** What screen readers read after the title; shown as the first paragraph. */
  description?: ReactNode
  size?: 'sm' | 'md' | 'lg'
  /** The buttons, the primary one last. On phones they are stacked with it on top. */
  actions?: ReactNode
  /** The dialog must be answered: no ✕, no Escape, no tap outside; announced as an alert dialog. */
  mustAnswer?: boolean
  /** Something runs that the dialog has to tell the end of: nothing closes it. */
  isBusy?: boolean
  /** Something is typed or chosen in it: a tap outside does not throw that away. */
  holdsInput?: boolean
  /** What gets the focus on opening; by default the first control. */
  initialFocus?: RefObject<HTMLElement | null>
  /**
   * What gets the focus on closing; null for what had it before. For an answer that removes the
   * control which opened the dialog.
   */
  findFinalFocus?: () => HTMLElement | null
  children?: ReactNode
}

const DialogBox = createLazyPart(async () => (await import('./dialog-box.tsx')).DialogBox)

/** Loads the code of dialogs. */
export const preloadDialog = () => DialogBox.preload()

/** A modal dialog: centred on a wide screen, a sheet from the bottom on phones. */
export function Dialog(props: DialogProps) {
  usePreloadWhenIdle(DialogBox)
  // After closing it stays, so that it can fade out.
  const [wasOpened, setWasOpened] = useState(props.open)
  if (props.open && !wasOpened) setWasOpened(true)
  if (!wasOpened) return null
  return (
    <Suspense>
      <DialogBox {...props} />
    </Suspense>
  )
}

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
  findFinalFocus?: DialogProps['findFinalFocus']
  onConfirm: () => void
  onCancel: () => void
}

/** Confirms before something is lost. Cancelling has the focus and a button of the same size. */
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
  findFinalFocus,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const stay = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open={open}
      isBusy={pending}
      onClose={onCancel}
      title={title}
      description={children}
      initialFocus={stay}
      {...(findFinalFocus && { findFinalFocus })}
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
          <Button ref={stay} variant="secondary" state={pending ? 'disabled' : 'normal'} onClick={onCancel}>
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
