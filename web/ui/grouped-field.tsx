import { type InputHTMLAttributes, type Ref, useImperativeHandle, useLayoutEffect, useReducer, useRef } from 'react'
import { groupDigits } from '#domain/written-figures.ts'
import { cleanAmount, extractPhone } from './digits.ts'
import { describePlainField, FieldPrefix, figureInputClass, PlainField, type PlainFieldProps } from './field-parts.tsx'
import { applyEdit, type Grouping } from './grouped-text.ts'

type PhoneFieldProps = Omit<PlainFieldProps, 'before' | 'children'> & {
  /** The ten digits, or those typed so far. */
  value: string
  onChange: (digits: string) => void
  ref?: Ref<HTMLInputElement>
}

/**
 * An Indian mobile number with the prefix +91; pasted text is reduced to ten digits. The first step
 * of the login shows it, so it is without Base UI.
 */
export function PhoneField({ value, onChange, ref, ...rest }: PhoneFieldProps) {
  return (
    <PlainField {...rest} before={<FieldPrefix>+91</FieldPrefix>}>
      <GroupedInput
        ref={ref}
        id={rest.id}
        type="tel"
        inputMode="numeric"
        autoComplete="tel-national"
        value={value}
        onValueChange={onChange}
        grouping={phoneGrouping}
        readOnly={rest.disabled}
        {...describePlainField(rest.id, rest.error)}
      />
    </PlainField>
  )
}

type GroupedInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'className'> & {
  value: string
  onValueChange: (value: string) => void
  grouping: Grouping
  ref?: Ref<HTMLInputElement> | undefined
}

/** An input whose digits are grouped while typing. The caret stays after the same digit. */
export function GroupedInput({ value, onValueChange, grouping, ref, ...rest }: GroupedInputProps) {
  const input = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => input.current as HTMLInputElement)
  const caret = useRef<number>(null)
  // Also counts edits that leave the value the same: the browser has moved the caret to the end.
  const [edits, edit] = useReducer((count: number) => count + 1, 0)
  const shown = grouping.show(value)
  const takeOver = (element: HTMLInputElement, deletes: 'backward' | 'forward' | null): void => {
    const typed = { before: shown, text: element.value, caret: element.selectionStart ?? element.value.length, deletes }
    const after = applyEdit(typed, grouping)
    caret.current = after.caret
    edit()
    onValueChange(after.value)
  }
  useLayoutEffect(() => {
    if (caret.current !== null && document.activeElement === input.current) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  }, [edits])
  // The login's field is in the page before this code: somebody may have typed into it meanwhile.
  const firstRender = useRef({ shown, takeOver })
  useLayoutEffect(() => {
    const { shown: drawn, takeOver: takeOverTyped } = firstRender.current
    if (input.current !== null && input.current.value !== drawn) takeOverTyped(input.current, null)
  }, [])

  return (
    <input
      {...rest}
      ref={input}
      value={shown}
      onChange={({ target, nativeEvent }) => takeOver(target, readDeletion(nativeEvent))}
      className={figureInputClass}
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
    const rupees = whole === '' ? '' : groupDigits(String(BigInt(whole)))
    return decimals === undefined ? rupees : `${rupees}.${decimals}`
  },
}

export const wholeRupeesGrouping: Grouping = { ...amountGrouping, read: (text) => cleanAmount(text).split('.')[0] ?? '' }
