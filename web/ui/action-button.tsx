import { useLingui } from '@lingui/react/macro'
import { type FocusEvent, type KeyboardEvent, type PointerEvent, useContext, useEffect, useId, useRef, useState } from 'react'
import { resolveActionState, type PermissionAnswer } from './action-state.ts'
import { Button, type ButtonProps } from './button.tsx'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'
import { loadAhead } from './background-loads.ts'
import { createLazyPart } from './lazy-part.tsx'
import { usePermissionReason } from './permission-reason.tsx'
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
  const obstacle = disabledReason ?? null
  const knownReason = usePermissionReason(permission) ?? obstacle
  const reason = knownReason ?? (permission === 'loading' ? t`Loading your permissions…` : null)
  // A line that is gone in a moment would move what is below it.
  const isShown = showReason && knownReason !== null
  const shown = resolveActionState({ permission, obstacle, state })
  const hint = useHint(reason)
  // The elements are the same with and without a reason: replacing the button would lose the focus.
  return (
    <span
      className={
        knownReason === null ? 'contents' : cx(rest.block ? 'block w-full' : 'inline-block max-w-full', endsRight && 'md:text-right')
      }
    >
      <Button state={shown} {...rest} {...hint.handlers} {...(reason !== null && { 'aria-describedby': reasonId })} />
      {hint.hint}
      {reason !== null && (
        <span
          id={reasonId}
          className={
            isShown ? cx('mt-1.5 flex items-start gap-1.5 text-left text-xs text-muted', endsRight && 'md:justify-end') : 'sr-only'
          }
        >
          {isShown && <Icon name={isDenied ? 'lock' : 'info'} size={16} className="mt-0.5 flex-none" />}
          {reason}
          {isDenied && isViewOnly && `: ${t`view-only access`}`}
        </span>
      )}
    </span>
  )
}

const Tooltip = createLazyPart(async () => (await import('./tooltip.tsx')).Tooltip)
const hoverDelayMs = 150

/**
 * A hint on hover and focus. It never opens on a tap, so its text must also be visible elsewhere.
 * No text, no hint. @returns the handlers of the element, and the hint.
 */
function useHint(text: string | null) {
  const [anchor, setAnchor] = useState<Element | null>(null)
  const wanted = useRef<Element>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const open = (element: Element): void => {
    wanted.current = element
    // Until the hint's code is loaded, the text is shown beside the button.
    void loadAhead(async () => {
      await Tooltip.preload()
      if (wanted.current === element) setAnchor(element)
    })
  }
  const close = (): void => {
    clearTimeout(timer.current)
    wanted.current = null
    setAnchor(null)
  }
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      wanted.current = null
    },
    [],
  )
  const handlers = {
    onPointerEnter: ({ currentTarget, pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') timer.current = setTimeout(open, hoverDelayMs, currentTarget)
    },
    onPointerLeave: close,
    onPointerDown: close,
    onFocus: ({ currentTarget }: FocusEvent) => currentTarget.matches(':focus-visible') && open(currentTarget),
    onBlur: close,
    onKeyDown: ({ key }: KeyboardEvent) => key === 'Escape' && close(),
  }
  const hint = text !== null && anchor !== null && <Tooltip anchor={anchor} text={text} onClose={close} />
  return { handlers: text === null && anchor === null ? {} : handlers, hint }
}
