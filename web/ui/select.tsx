import { Select as Base } from '@base-ui/react/select'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

type SelectOption = {
  value: string
  title: string
  /** The second line: a number to recognise it by. */
  detail?: string
  badge?: ReactNode
}

/** A choice between options of two lines and a state: the loan selector, a payment. */
export function Select({
  label,
  value,
  placeholder,
  options,
  onChange,
}: {
  label: string
  value: string
  /** Shown while nothing is chosen. */
  placeholder?: string
  options: readonly SelectOption[]
  onChange: (value: string) => void
}) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Base.Root
      value={chosen === undefined ? null : value}
      onValueChange={(next) => typeof next === 'string' && onChange(next)}
      items={options.map((option) => ({ value: option.value, label: option.title }))}
    >
      <Base.Trigger
        aria-label={[label, chosen?.title, chosen?.detail].filter(Boolean).join(', ')}
        className="flex min-h-14 w-full items-center gap-3 rounded-md border border-line-strong bg-raised py-1.5 pr-3 pl-4 text-left hover:border-brand md:w-auto md:min-w-[24rem]"
      >
        <span className="min-w-0 flex-1">
          {chosen ? <OptionText option={chosen} /> : <span className="text-muted">{placeholder}</span>}
        </span>
        {chosen?.badge}
        <Base.Icon>
          <Icon name="chevronDown" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-60 outline-0">
          <Base.Popup className="w-(--anchor-width) min-w-72 rounded-lg border border-line bg-raised p-2 shadow-2 outline-0">
            <Base.List className="max-h-[min(24rem,var(--available-height))] overflow-auto">
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  className="flex min-h-14 items-center gap-3 rounded-md px-3 py-1.5 outline-0 data-highlighted:bg-sunken data-selected:bg-brand-soft forced-colors:data-highlighted:outline-2"
                >
                  <Base.ItemText render={<span className="min-w-0 flex-1" />}>
                    <OptionText option={option} />
                  </Base.ItemText>
                  {option.badge}
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function OptionText({ option }: { option: SelectOption }) {
  return (
    <>
      <span className="block font-semibold">{option.title}</span>
      {option.detail && <span className="block text-sm tabular-nums text-muted">{option.detail}</span>}
    </>
  )
}
