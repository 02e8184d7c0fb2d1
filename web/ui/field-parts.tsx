import type { ComponentProps, ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'

/*
 * The look of every field. `field.tsx` gives the parts their behaviour; `PlainField` has no Base
 * UI, for prerendered pages: Base UI would add a tenth to the login's script.
 */

/** The class of a field's outermost element, which has `data-invalid` while its value is wrong. */
export const fieldClass = 'group/field min-w-0'

export const FieldLabel = ({ children, className, ...rest }: ComponentProps<'label'>) => (
  <label {...rest} className={cx('block text-sm font-semibold', className)}>
    {children}
  </label>
)

export const FieldHint = (props: ComponentProps<'p'>) => <p {...props} className="text-sm text-muted" />

/** The box is drawn here and not by the input, so that it contains what is before the input. */
export function FieldBox({ before, disabled, children }: { before?: ReactNode; disabled?: boolean | undefined; children: ReactNode }) {
  return (
    <div
      className={cx(
        'mt-1.5 flex min-h-12 w-full items-stretch overflow-hidden rounded-md border border-line-strong bg-raised group-data-invalid/field:border-2 group-data-invalid/field:border-danger focus-within:outline-3 focus-within:outline-offset-1 focus-within:outline-focus',
        disabled && 'bg-sunken text-muted',
      )}
    >
      {before}
      {children}
    </div>
  )
}

/** What a value begins with: '₹', '+91'. */
export const FieldPrefix = ({ children }: { children: ReactNode }) => (
  <span className="flex items-center border-r border-line bg-sunken px-3.5 text-lg tabular-nums">{children}</span>
)

/** What is wrong with the value. Show it inside an element with the role 'alert' that stays. */
export const FieldMessage = ({ children, ...rest }: ComponentProps<'p'>) => (
  <p {...rest} className="mt-1.5 flex items-start gap-1.5 text-sm font-medium text-danger">
    <Icon name="alert" size={16} className="mt-[0.1875rem] flex-none" />
    <span>{children}</span>
  </p>
)

export type PlainFieldProps = ComponentProps<typeof FieldBox> & { id: string; label: string; hint: string; error: string | null }

/** Label, hint, box and message, without Base UI. The input has `describePlainField`. */
export function PlainField({ id, label, hint, error, ...rest }: PlainFieldProps) {
  return (
    <div className={fieldClass} data-invalid={error === null ? undefined : ''}>
      <FieldLabel htmlFor={id}>{label}</FieldLabel>
      <FieldHint id={`${id}-hint`}>{hint}</FieldHint>
      <FieldBox {...rest} />
      <div id={`${id}-error`} role="alert">
        {error !== null && <FieldMessage>{error}</FieldMessage>}
      </div>
    </div>
  )
}

/** The attributes that tie an input to the hint and the message of its `PlainField`. */
export const describePlainField = (id: string, error: string | null) => ({
  'aria-invalid': error !== null || undefined,
  'aria-describedby': `${id}-hint ${id}-error`,
})

export const inputClass = 'w-full min-w-0 flex-1 bg-transparent px-3.5 py-2.5 outline-0'
/** For numbers that are checked digit by digit. */
export const figureInputClass = `${inputClass} text-xl font-medium tracking-[0.02em] tabular-nums`
