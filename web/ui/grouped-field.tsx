import { type InputHTMLAttributes, type Ref, useImperativeHandle, useLayoutEffect, useReducer, useRef } from 'react'
import { cleanAmount, extractPhone } from './digits.ts'
import { listDescriptionIds, Field, type FieldProps, figureInputClass } from './field.tsx'
import { applyEdit, type Grouping } from './grouped-text.ts'

type AmountFieldProps = FieldProps & {
  /** The typed amount without grouping: '25019' or '25019.5'. Parse it with parseRupees. */
  value: string
  onChange: (text: string) => void
  /** No decimal point can be typed, and pasted decimals are dropped. */
  wholeRupees?: boolean
  disabled?: boolean
  ref?: Ref<HTMLInputElement>
}

/** A money amount, grouped the Indian way while typing. */
export function AmountField({ id, label, hint, error, value, onChange, wholeRupees = false, disabled = false, ref }: AmountFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} prefix="₹" disabled={disabled}>
      <GroupedInput
        ref={ref}
        id={id}
        type="text"
        inputMode={wholeRupees ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={value}
        onChange={onChange}
        grouping={wholeRupees ? wholeRupeesGrouping : amountGrouping}
        onKeyDown={(event) => wholeRupees && (event.key === '.' || event.key === ',') && event.preventDefault()}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={listDescriptionIds(id, hint, error)}
      />
    </Field>
  )
}

type PhoneFieldProps = FieldProps & {
  /** The ten digits, or those typed so far. */
  value: string
  onChange: (digits: string) => void
  disabled?: boolean
  ref?: Ref<HTMLInputElement>
}

/** An Indian mobile number with the prefix +91; pasted text is reduced to ten digits. */
export function PhoneField({ id, label, hint, error, value, onChange, disabled = false, ref }: PhoneFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} prefix="+91" disabled={disabled}>
      <GroupedInput
        ref={ref}
        id={id}
        type="tel"
        inputMode="numeric"
        autoComplete="tel-national"
        value={value}
        onChange={onChange}
        grouping={phoneGrouping}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={listDescriptionIds(id, hint, error)}
      />
    </Field>
  )
}

type GroupedInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'className'> & {
  value: string
  onChange: (value: string) => void
  grouping: Grouping
  ref?: Ref<HTMLInputElement> | undefined
}

/** An input whose digits are grouped while typing. The caret stays after the same digit. */
function GroupedInput({ value, onChange, grouping, ref, ...rest }: GroupedInputProps) {
  const input = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => input.current as HTMLInputElement)
  const caret = useRef<number>(null)
  // Also counts edits that leave the value the same: the browser has moved the caret to the end.
  const [edits, edit] = useReducer((count: number) => count + 1, 0)
  const shown = grouping.show(value)
  useLayoutEffect(() => {
    if (caret.current !== null && document.activeElement === input.current) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  }, [edits])

  return (
    <input
      ref={input}
      value={shown}
      onChange={({ target, nativeEvent }) => {
        const after = applyEdit(
          { before: shown, text: target.value, caret: target.selectionStart ?? target.value.length, deletes: readDeletion(nativeEvent) },
          grouping,
        )
        caret.current = after.caret
        edit()
        onChange(after.value)
      }}
      className={figureInputClass}
      {...rest}
    />
  )
}

function readDeletion(event: Event): 'backward' | 'forward' | null {
  const { inputType } = event as InputEvent
  if (inputType === 'deleteContentBackward') return 'backward'
  return inputType === 'deleteContentForward' ? 'forward' : null
}

/** '98765 43210'. */
export const phoneGrouping: Grouping = {
  read: extractPhone,
  show: (value) => (value.length > 5 ? `${value.slice(0, 5)} ${value.slice(5)}` : value),
}

/** '25,019.5', grouped the Indian way. */
export const amountGrouping: Grouping = {
  read: cleanAmount,
  show: (value) => {
    const [whole = '', decimals] = value.split('.')
    const rupees = whole === '' ? '' : new Intl.NumberFormat('en-IN').format(BigInt(whole))
    return decimals === undefined ? rupees : `${rupees}.${decimals}`
  },
}

export const wholeRupeesGrouping: Grouping = { ...amountGrouping, read: (text) => cleanAmount(text).split('.')[0] ?? '' }
