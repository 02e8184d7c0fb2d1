import { Dialog as Base } from '@base-ui/react/dialog'
import { useLingui } from '@lingui/react/macro'
import { cx } from './class-names.ts'
import type { DialogProps } from './dialog.tsx'
import { Icon } from './icon.tsx'

const widths = { sm: 'md:max-w-[30rem]', md: 'md:max-w-[36rem]', lg: 'md:max-w-[52rem]' }

/** The dialog itself, in a chunk of its own: most visits open none. */
export function DialogBox({
  open,
  onClose,
  title,
  description,
  size = 'sm',
  actions,
  mustAnswer = false,
  isBusy = false,
  holdsInput = false,
  initialFocus,
  findFinalFocus,
  children,
}: DialogProps) {
  const { t } = useLingui()
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && !mustAnswer && !isBusy && onClose()}
      disablePointerDismissal={mustAnswer || holdsInput}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-(--motion-base) data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-50 grid place-items-end overflow-hidden md:place-items-center md:overflow-auto md:p-4">
          <Base.Popup
            role={mustAnswer ? 'alertdialog' : 'dialog'}
            initialFocus={initialFocus}
            finalFocus={findFinalFocus}
            className={cx(
              'flex max-h-[94dvh] w-full flex-col rounded-t-lg bg-raised shadow-3 outline-0 md:max-h-[calc(100dvh-2rem)] md:rounded-lg',
              'transition-[translate,opacity] duration-(--motion-base) data-ending-style:translate-y-6 data-ending-style:opacity-0 data-starting-style:translate-y-6 data-starting-style:opacity-0',
              widths[size],
            )}
          >
            <div className="flex items-start justify-between gap-3 pt-3 pr-2 pb-2 pl-4 md:pt-4 md:pr-4 md:pb-3 md:pl-6">
              <Base.Title className="pt-1 text-xl font-semibold">{title}</Base.Title>
              {!mustAnswer && (
                <Base.Close
                  aria-label={t`Close`}
                  aria-disabled={isBusy || undefined}
                  className="grid size-target flex-none place-items-center rounded-md text-muted not-aria-disabled:hover:bg-sunken not-aria-disabled:hover:text-ink aria-disabled:cursor-not-allowed aria-disabled:text-line-strong"
                >
                  <Icon name="close" />
                </Base.Close>
              )}
            </div>
            <div className="min-h-0 flex-auto overflow-auto px-4 pb-4 md:px-6 md:pb-5">
              {description && <Base.Description render={<div />}>{description}</Base.Description>}
              {children}
            </div>
            {actions && (
              <div className="border-t border-line px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))] md:px-6 md:py-4">
                <div className="flex flex-col-reverse items-stretch gap-3 [@media(max-height:20rem)]:flex-row [@media(max-height:20rem)]:*:flex-1 md:flex-row md:items-start md:justify-end">
                  {actions}
                </div>
              </div>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}
