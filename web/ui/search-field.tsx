import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
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
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold md:sr-only">
        {label}
      </label>
      <div className="flex min-h-12 w-full items-stretch rounded-md border border-line-strong bg-raised focus-within:outline-3 focus-within:outline-offset-1 focus-within:outline-focus">
        <span className="flex items-center pl-3.5 text-muted">
          <Icon name="search" />
        </span>
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
          className="w-full min-w-0 flex-1 bg-transparent px-3 py-2.5 text-ellipsis outline-0"
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
      </div>
    </form>
  )
}
