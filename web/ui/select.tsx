import { Suspense, useId, type ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { createLazyPart, useReplacedButton } from './lazy-part.tsx'

type SelectOption = {
  value: string
  title: string
  /** The second line: a number to recognise it by. */
  detail?: string
  badge?: ReactNode
}

export type SelectProps = {
  label: string
  value: string
  /** Shown while nothing is chosen. */
  placeholder?: string
  options: readonly SelectOption[]
  onChange: (value: string) => void
}

const SelectBox = createLazyPart(async () => (await import('./select-box.tsx')).SelectBox)

/**
 * A choice between options of two lines and a state: the loan selector. Until its code is loaded
 * its button stands alone.
 */
export function Select(props: SelectProps) {
  const { isReplaced, wasPressed, ref, handlers } = useReplacedButton(SelectBox)
  const listId = useId()
  const chosen = props.options.find((option) => option.value === props.value)
  const button = (
    <button
      ref={ref}
      type="button"
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-controls={listId}
      aria-label={getSelectLabel(props.label, chosen)}
      className={selectTriggerClass}
      {...handlers}
    >
      <span className="min-w-0 flex-1">
        {chosen ? <OptionText option={chosen} /> : <span className="text-muted">{props.placeholder}</span>}
      </span>
      {chosen?.badge}
      <span aria-hidden="true">
        <Icon name="chevronDown" />
      </span>
    </button>
  )
  if (!isReplaced) return button
  return (
    <Suspense fallback={button}>
      <SelectBox {...props} ref={ref} defaultOpen={wasPressed} />
    </Suspense>
  )
}

export const selectTriggerClass =
  'flex min-h-14 w-full items-center gap-3 rounded-md border border-line-strong bg-raised py-1.5 pr-3 pl-4 text-left hover:border-brand md:w-auto md:min-w-[24rem]'

export const getSelectLabel = (label: string, chosen: SelectOption | undefined): string =>
  [label, chosen?.title, chosen?.detail].filter(Boolean).join(', ')

export function OptionText({ option }: { option: SelectOption }) {
  return (
    <>
      <span className="block font-semibold">{option.title}</span>
      {option.detail && <span className="block text-sm tabular-nums text-muted">{option.detail}</span>}
    </>
  )
}
