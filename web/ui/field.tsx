import { Field as Base } from '@base-ui/react/field'
import { Form as BaseForm } from '@base-ui/react/form'
import { type ComponentProps, type ReactNode, type Ref, useMemo } from 'react'
import { FieldBox, fieldClass, FieldHint, FieldLabel, FieldMessage, FieldPrefix, inputClass } from './field-parts.tsx'
import { amountGrouping, GroupedInput, wholeRupeesGrouping } from './grouped-field.tsx'

type FormProps = Pick<ComponentProps<'form'>, 'id' | 'role' | 'className' | 'children'> & {
  /** What the server refused: the id of the field, and why. It goes when the field is edited. */
  refusal?: { id: string; text: string } | null
  /** Called while no field has a problem; otherwise the first one that has gets the focus. */
  onSubmit: () => void
}

/** A form whose messages are shown at their fields, never by the browser itself. */
export function Form({ refusal, onSubmit, ...rest }: FormProps) {
  const { id, text } = refusal ?? {}
  // Base UI takes another object for another refusal.
  const errors = useMemo(() => (id !== undefined && text !== undefined ? { [id]: text } : {}), [id, text])
  return <BaseForm errors={errors} onFormSubmit={onSubmit} {...rest} />
}

/** What is wrong with a value, and when to say so. */
export type FieldProblem = {
  /** What is wrong with the value now; null if nothing is. Shown from the first submit on. */
  problem?: string | null
  /** Shows the problem before the first submit too, for instance once something is typed. */
  showsProblem?: boolean
}

export type FieldProps = FieldProblem & { id: string; label: string; hint?: ReactNode }

type FieldRootProps = FieldProblem & Pick<ComponentProps<typeof Base.Root>, 'render'> & { id: string; children: ReactNode }

/** Ties label, hint, control and message of a field together, and the field to its form. */
export function FieldRoot({ id, problem = null, showsProblem = false, render, children }: FieldRootProps) {
  const isShown = showsProblem && problem !== null
  return (
    <Base.Root name={id} invalid={isShown} validate={() => problem} className={fieldClass} {...(render && { render })}>
      {children}
      <div role="alert">
        <Base.Error render={<FieldMessage />} {...(isShown && { match: true, children: problem })} />
      </div>
    </Base.Root>
  )
}

/** Label, hint, box and message of a control. */
export function Field({ label, hint, before, disabled, children, ...rest }: FieldProps & ComponentProps<typeof FieldBox>) {
  return (
    <FieldRoot {...rest}>
      <Base.Label id={`${rest.id}-label`} render={<FieldLabel />}>
        {label}
      </Base.Label>
      {hint && <Base.Description render={<FieldHint />}>{hint}</Base.Description>}
      <FieldBox before={before} disabled={disabled}>
        {children}
      </FieldBox>
    </FieldRoot>
  )
}

type TextFieldProps = FieldProps & {
  value: string
  onChange: (value: string) => void
  maxLength?: number
  /** Phones show the keyboard of digits; other characters can still be pasted. */
  inputMode?: 'numeric'
  disabled?: boolean
}

/** A line of text. */
export const TextField = (props: TextFieldProps) => <TypedField {...props} render={<input />} className={inputClass} />

/** A few lines of text. */
export const TextAreaField = (props: TextFieldProps) => (
  <TypedField {...props} render={<textarea rows={3} />} className={`${inputClass} resize-y`} />
)

type TypedFieldProps = TextFieldProps & Pick<ComponentProps<typeof Base.Control>, 'render' | 'className'>

function TypedField({ value, onChange, maxLength, inputMode, disabled = false, render, className, ...rest }: TypedFieldProps) {
  return (
    <Field disabled={disabled} {...rest}>
      <Base.Control
        id={rest.id}
        value={value}
        onValueChange={onChange}
        maxLength={maxLength}
        inputMode={inputMode}
        readOnly={disabled}
        autoComplete="off"
        render={render}
        className={className}
      />
    </Field>
  )
}

type AmountFieldProps = FieldProps & {
  /** The typed amount without grouping: '25019' or '25019.5'. Parse it with parseRupeesInput. */
  value: string
  onChange: (text: string) => void
  /** No decimal point can be typed, and pasted decimals are dropped. */
  wholeRupees?: boolean
  ref?: Ref<HTMLInputElement>
}

/** A money amount, grouped the Indian way while typing. */
export function AmountField({ value, onChange, wholeRupees = false, ref, ...rest }: AmountFieldProps) {
  return (
    <Field before={<FieldPrefix>₹</FieldPrefix>} {...rest}>
      <Base.Control
        ref={ref}
        id={rest.id}
        value={value}
        inputMode={wholeRupees ? 'numeric' : 'decimal'}
        autoComplete="off"
        onKeyDown={(event) => wholeRupees && (event.key === '.' || event.key === ',') && event.preventDefault()}
        render={<GroupedInput value={value} onValueChange={onChange} grouping={wholeRupees ? wholeRupeesGrouping : amountGrouping} />}
      />
    </Field>
  )
}
