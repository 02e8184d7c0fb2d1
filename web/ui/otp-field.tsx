import { OTPField as Base } from '@base-ui/react/otp-field'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode, Ref } from 'react'
import { cx } from './class-names.ts'
import { extractCode } from './digits.ts'
import { FieldLabel, FieldMessage } from './field-parts.tsx'

const otpLength = 6

type OtpFieldProps = {
  id: string
  label: string
  value: string
  onChange: (code: string) => void
  error?: ReactNode
  disabled?: boolean
  /** The next box to type in: the first empty one, or the first of a full row. */
  ref?: Ref<HTMLInputElement>
}

/**
 * Six boxes for a one-time code. A digit, a pasted code or a whole SMS fills them; Enter submits
 * the form when complete.
 */
export function OtpField({ id, label, value, onChange, error, disabled = false, ref }: OtpFieldProps) {
  const { t } = useLingui()
  const nextBox = value.length < otpLength ? value.length : 0
  return (
    <div>
      <FieldLabel htmlFor={id}>{label}</FieldLabel>
      <Base.Root
        id={id}
        length={otpLength}
        value={value}
        onValueChange={onChange}
        normalizeValue={(text) => extractCode(text, otpLength)}
        validationType="none"
        inputMode="numeric"
        readOnly={disabled}
        aria-describedby={error ? `${id}-error` : undefined}
        className="mt-2 grid grid-cols-6 gap-2"
      >
        {Array.from({ length: otpLength }, (_, index) => (
          <Base.Input
            key={index}
            ref={index === nextBox ? ref : undefined}
            aria-label={index === 0 ? undefined : t`Digit ${index + 1} of ${otpLength}`}
            aria-invalid={error ? true : undefined}
            onKeyDown={(event) => {
              // Base UI would move one box back, and the corrected digit would replace a correct
              // one.
              if (event.key !== 'Backspace' || event.ctrlKey || event.metaKey || disabled || index >= value.length) return
              event.preventBaseUIHandler()
              event.preventDefault()
              onChange(value.slice(0, index) + value.slice(index + 1))
            }}
            className={cx(
              'h-14 w-full rounded-md bg-raised p-0 text-center text-figure-md font-semibold tabular-nums focus:outline-3 focus:outline-offset-1 focus:outline-focus',
              error ? 'border-2 border-danger' : 'border border-line-strong data-filled:border-ink',
            )}
          />
        ))}
      </Base.Root>
      <div id={`${id}-error`} role="alert">
        {error && <FieldMessage>{error}</FieldMessage>}
      </div>
    </div>
  )
}
