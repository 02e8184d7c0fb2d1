import { cx } from './class-names.ts'

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
