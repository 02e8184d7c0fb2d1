import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { actionState } from './action-state.ts'
import { Button, type ButtonProps } from './button.tsx'
import { Icon } from './icon.tsx'
import { Tooltip } from './tooltip.tsx'

type ActionButtonProps = ButtonProps & {
  /** usePermission(…); leave out where none is required. */
  permission?: 'allowed' | 'denied' | 'loading'
  /** Why the action is not possible now, as a sentence; with it the button is disabled. */
  disabledReason?: string | null
  /** The reason as text under the button; turn off where the same reason already stands beside it. */
  showReason?: boolean
}

/** A button for something that may be forbidden or not possible now: it stays where it is, and says why. */
export function ActionButton({ permission = 'allowed', disabledReason, showReason = true, state = 'normal', ...rest }: ActionButtonProps) {
  const { t } = useLingui()
  const reasonId = useId()
  const denied = permission === 'denied'
  const reason = denied ? t`Action not allowed` : (disabledReason ?? null)
  const shown = actionState({ permission, obstacle: disabledReason ?? null, state })
  if (reason === null) return <Button state={shown} {...rest} />
  return (
    <span className={rest.block ? 'block w-full' : 'inline-block max-w-full'}>
      <Tooltip text={reason}>
        <Button state={shown} {...rest} aria-describedby={reasonId} />
      </Tooltip>
      <span id={reasonId} className={showReason ? 'mt-1.5 flex items-start gap-1.5 text-left text-xs text-muted' : 'sr-only'}>
        {showReason && <Icon name={denied ? 'lock' : 'info'} size={16} className="mt-0.5 flex-none" />}
        {reason}
      </span>
    </span>
  )
}
