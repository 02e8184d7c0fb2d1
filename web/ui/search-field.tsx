import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { Form } from './field.tsx'
import { FieldBox, FieldLabel, inputClass } from './field-parts.tsx'
import { Icon } from './icon.tsx'

type SearchFieldProps = {
  id: string
  /** The label, also used as the placeholder. */
  label: string
  value: string
  onChange: (text: string) => void
  /** Runs on Enter. */
  onSubmit: () => void
  maxLength?: number
}

/** A search field. The label is visible on phones too, where the placeholder does not fit. */
export function SearchField({ id, label, value, onChange, onSubmit, maxLength }: SearchFieldProps) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  return (
    // From 768 px on the label is unseen, so the space below it goes.
    <Form role="search" className="md:-mt-1.5" onSubmit={onSubmit}>
      <FieldLabel htmlFor={id} className="md:sr-only">
        {label}
      </FieldLabel>
      <FieldBox
        before={
          <span className="flex items-center pl-3.5 text-muted">
            <Icon name="search" />
          </span>
        }
      >
        <input
          ref={input}
          id={id}
          // 'search' would add a clear button that differs in each browser.
          type="text"
          inputMode="search"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          placeholder={label}
          value={value}
          maxLength={maxLength}
          onChange={(event) => onChange(event.target.value)}
          className={`${inputClass} text-ellipsis`}
        />
        {value !== '' && (
          <button
            type="button"
            aria-label={t`Clear the search`}
            className="grid min-w-target place-items-center rounded-md text-muted hover:text-ink"
            onClick={() => {
              onChange('')
              input.current?.focus()
            }}
          >
            <Icon name="close" size={18} />
          </button>
        )}
      </FieldBox>
    </Form>
  )
}
