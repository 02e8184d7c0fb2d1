import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { isPressable } from './action-state.ts'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'
/** `row`: within a row of two lines on phones; its target is as high as that of `sm`. */
export type ButtonSize = 'row' | 'sm' | 'md' | 'lg'
/** Spec §4 'Action buttons'. ActionButton decides 'not_permitted'. */
export type ButtonState = 'normal' | 'disabled' | 'not_permitted' | 'loading' | 'error'

const base = 'inline-flex items-center justify-center gap-2 rounded-md border text-center font-semibold no-underline transition-colors'

const sizes: Record<ButtonSize, string> = {
  row: 'relative min-h-6 px-2.5 text-sm after:absolute after:inset-x-0 after:-inset-y-2.5',
  sm: 'hit-area min-h-9 px-3 py-1 text-sm',
  md: 'min-h-target px-[1.125rem] py-2 text-base',
  lg: 'min-h-13 px-6 py-3 text-lg',
}

const normal: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-brand text-on-brand hover:bg-brand-hover hover:text-on-brand',
  secondary: 'border-brand bg-raised text-brand hover:border-on-brand-soft hover:bg-brand-soft hover:text-on-brand-soft',
  quiet: 'border-transparent bg-transparent text-brand hover:bg-brand-soft hover:text-on-brand-soft',
  danger: 'border-danger bg-raised text-danger hover:bg-danger-soft',
}

const loading: Record<ButtonVariant, string> = {
  primary: 'cursor-progress border-transparent bg-brand-hover text-on-brand',
  secondary: 'cursor-progress border-brand bg-brand-soft text-on-brand-soft',
  quiet: 'cursor-progress border-transparent bg-brand-soft text-on-brand-soft',
  danger: 'cursor-progress border-danger bg-danger-soft text-danger',
}

const error: Record<ButtonVariant, string> = {
  primary: 'border-danger bg-danger text-on-danger hover:bg-danger-hover',
  secondary: 'border-danger bg-danger-soft text-danger',
  quiet: 'border-transparent bg-danger-soft text-danger',
  danger: 'border-danger bg-danger text-on-danger hover:bg-danger-hover',
}

export function getButtonClass(variant: ButtonVariant, size: ButtonSize, state: ButtonState, block: boolean): string {
  const look = {
    normal: normal[variant],
    loading: loading[variant],
    error: error[variant],
    disabled: cx('cursor-not-allowed text-muted', variant === 'quiet' ? 'border-transparent bg-transparent' : 'border-sunken bg-sunken'),
    not_permitted: 'cursor-not-allowed border-dashed border-line-strong bg-raised text-muted',
  }[state]
  return cx(base, sizes[size], variant === 'quiet' && size === 'md' && 'px-2.5', look, block && 'w-full')
}

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
