import { useImperativeHandle, useLayoutEffect, useReducer, useRef, type InputHTMLAttributes, type Ref } from 'react'
import { figureInputClass } from './field.tsx'
import { afterEdit, type Grouping } from './grouped-text.ts'

type GroupedInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'className'> & {
  value: string
  onChange: (value: string) => void
  grouping: Grouping
  ref?: Ref<HTMLInputElement> | undefined
}

/** A box whose digits are grouped as they are typed. The caret stays with the digit it stood behind, wherever that moves to. */
export function GroupedInput({ value, onChange, grouping, ref, ...rest }: GroupedInputProps) {
  const input = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => input.current as HTMLInputElement)
  const caret = useRef<number>(null)
  // Also where the value stays the same: the browser has put the caret at the end.
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
        const after = afterEdit(
          { before: shown, text: target.value, caret: target.selectionStart ?? target.value.length, deletes: deletedBy(nativeEvent) },
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

function deletedBy(event: Event): 'backward' | 'forward' | null {
  const { inputType } = event as InputEvent
  if (inputType === 'deleteContentBackward') return 'backward'
  return inputType === 'deleteContentForward' ? 'forward' : null
}
