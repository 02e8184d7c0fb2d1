import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { isPressable } from './action-state.ts'
import { getButtonClass, type ButtonSize, type ButtonState, type ButtonVariant } from './button-class.ts'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> & {
  variant?: ButtonVariant
  size?: ButtonSize
  state?: ButtonState
  /** As wide as its container. */
  block?: boolean
  icon?: IconName
  iconAfter?: IconName
  className?: string
  ref?: Ref<HTMLButtonElement>
  children: ReactNode
}

/**
 * A button in one of the five states. A blocked one stays focusable with `aria-disabled`; pressing
 * it does nothing, not even submit its form. Show the reason near it (ActionButton does).
 */
export function Button({
  variant = 'primary',
  size = 'md',
  state = 'normal',
  block = false,
  icon,
  iconAfter,
  className,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const isBlocked = !isPressable(state)
  const shownIcon: IconName | undefined = state === 'not_permitted' ? 'lock' : state === 'error' ? 'alert' : icon
  const iconSize = size === 'lg' ? 20 : 18
  return (
    <button
      type={type}
      className={cx(getButtonClass(variant, size, state, block), className)}
      aria-disabled={isBlocked || undefined}
      aria-busy={state === 'loading' || undefined}
      onClick={(event) => {
        if (isBlocked) event.preventDefault()
        else onClick?.(event)
      }}
      {...rest}
    >
      {state === 'loading' ? <Spinner /> : shownIcon && <Icon name={shownIcon} size={iconSize} className="flex-none" />}
      {children}
      {iconAfter && state === 'normal' && <Icon name={iconAfter} size={iconSize} className="flex-none" />}
    </button>
  )
}

/**
 * Turns slowly with reduced motion, so that it still looks active. Decorative: say in words what is
 * loading.
 */
export function Spinner({ className = '' }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block size-[1.125em] flex-none animate-[spin_.8s_linear_infinite] rounded-full border-2 border-current border-r-transparent motion-reduce:[animation-duration:3s] ${className}`}
    />
  )
}
