import { Tooltip as Base } from '@base-ui/react/tooltip'
import { useLingui } from '@lingui/react/macro'
import { type ReactElement, useContext, useId } from 'react'
import { resolveActionState, type PermissionAnswer } from './action-state.ts'
import { Button, type ButtonProps } from './button.tsx'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'
import { ViewOnly } from './view-only.ts'

type ActionButtonProps = ButtonProps & {
  /** From usePermission(…); leave it out if none is required. */
  permission?: PermissionAnswer
  /** Why the action is not possible now, as a sentence; it disables the button. */
  disabledReason?: string | null
  /** Shows the reason as text under the button; false if the same reason is shown nearby. */
  showReason?: boolean
  /** From 768 px on, the button and its reason end at the right edge, as in the head of a card. */
  endsRight?: boolean
}

/**
 * A button for an action that may be forbidden or not possible now: it stays visible and shows why.
 */
export function ActionButton({
  permission = 'allowed',
  disabledReason,
  showReason = true,
  endsRight = false,
  state = 'normal',
  ...rest
}: ActionButtonProps) {
  const { t } = useLingui()
  const reasonId = useId()
  const isDenied = permission === 'denied'
  const isViewOnly = useContext(ViewOnly)
  const reason = isDenied
    ? t`Action not allowed`
    : permission === 'unknown'
      ? t`We could not load your permissions. Trying again…`
      : (disabledReason ?? null)
  const shown = resolveActionState({ permission, obstacle: disabledReason ?? null, state })
  // The elements are the same with and without a reason: replacing the button would lose the focus.
  return (
    <span
      className={reason === null ? 'contents' : cx(rest.block ? 'block w-full' : 'inline-block max-w-full', endsRight && 'md:text-right')}
    >
      <Tooltip text={reason}>
        <Button state={shown} {...rest} {...(reason !== null && { 'aria-describedby': reasonId })} />
      </Tooltip>
      {reason !== null && (
        <span
          id={reasonId}
          className={
            showReason ? cx('mt-1.5 flex items-start gap-1.5 text-left text-xs text-muted', endsRight && 'md:justify-end') : 'sr-only'
          }
        >
          {showReason && <Icon name={isDenied ? 'lock' : 'info'} size={16} className="mt-0.5 flex-none" />}
          {reason}
          {isDenied && isViewOnly && `: ${t`view-only access`}`}
        </span>
      )}
    </span>
  )
}

/**
 * A hint on hover and focus. It never opens on a tap, so its text must also be visible elsewhere.
 * No text, no tooltip.
 */
function Tooltip({ text, children }: { text: string | null; children: ReactElement }) {
  return (
    <Base.Root disabled={text === null}>
      <Base.Trigger render={children} delay={150} />
      <Base.Portal>
        <Base.Positioner sideOffset={8} className="z-60">
          <Base.Popup className="rounded-sm bg-ink px-3 py-1.5 text-sm text-raised shadow-2">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
