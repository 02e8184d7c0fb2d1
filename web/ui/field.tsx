import type { ReactNode, Ref, TextareaHTMLAttributes } from 'react'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'

export type FieldProps = {
  id: string
  label: string
  hint?: ReactNode
  error?: ReactNode
}

/** The ids for an input's `aria-describedby`. */
export const listDescriptionIds = (id: string, hint: ReactNode, error: ReactNode): string | undefined =>
  [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined

/**
 * Label, hint, box and message of an input. The box is drawn here so that it contains the prefix.
 */
export function Field({
  id,
  label,
  hint,
  error,
  prefix,
  disabled = false,
  children,
}: FieldProps & { prefix?: ReactNode; disabled?: boolean; children: ReactNode }) {
  return (
    <div>
      <label id={`${id}-label`} htmlFor={id} className="block text-sm font-semibold">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      <div
        className={cx(
          'mt-1.5 flex min-h-12 w-full items-stretch overflow-hidden rounded-md bg-raised focus-within:outline-3 focus-within:outline-offset-1 focus-within:outline-focus',
          error ? 'border-2 border-danger' : 'border border-line-strong',
          disabled && 'bg-sunken text-muted',
        )}
      >
        {prefix && <span className="flex items-center border-r border-line bg-sunken px-3.5 text-lg tabular-nums">{prefix}</span>}
        {children}
      </div>
      <FieldMessage id={`${id}-error`}>{error}</FieldMessage>
    </div>
  )
}

/**
 * The message of an input. Its element is always there, so that screen readers announce the
 * message.
 */
export function FieldMessage({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div id={id} role="alert">
      {children && (
        <p className="mt-1.5 flex items-start gap-1.5 text-sm font-medium text-danger">
          <Icon name="alert" size={16} className="mt-[0.1875rem] flex-none" />
          <span>{children}</span>
        </p>
      )}
    </div>
  )
}

const inputClass = 'w-full min-w-0 flex-1 bg-transparent px-3.5 py-2.5 outline-0'
/** For numbers that are checked digit by digit. */
export const figureInputClass = `${inputClass} text-xl font-medium tracking-[0.02em] tabular-nums`

type TextAreaFieldProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange' | 'className' | 'prefix'> & {
    value: string
    onChange: (value: string) => void
    ref?: Ref<HTMLTextAreaElement>
  }

/** A few lines of text. */
export function TextAreaField({ id, label, hint, error, value, onChange, disabled = false, rows = 3, ref, ...rest }: TextAreaFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} disabled={disabled}>
      <textarea
        ref={ref}
        id={id}
        rows={rows}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={listDescriptionIds(id, hint, error)}
        className={`${inputClass} resize-y`}
        {...rest}
      />
    </Field>
  )
}
