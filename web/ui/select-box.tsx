import { Select as Base } from '@base-ui/react/select'
import type { Ref } from 'react'
import { Icon } from './icon.tsx'
import { getSelectLabel, OptionText, selectTriggerClass, type SelectProps } from './select.tsx'

type SelectBoxProps = SelectProps & { ref: Ref<HTMLButtonElement>; defaultOpen: boolean }

/** The select itself, in a chunk of its own. */
export function SelectBox({ label, value, placeholder, options, onChange, ref, defaultOpen }: SelectBoxProps) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Base.Root
      defaultOpen={defaultOpen}
      value={chosen === undefined ? null : value}
      onValueChange={(next) => typeof next === 'string' && onChange(next)}
      items={options.map((option) => ({ value: option.value, label: option.title }))}
    >
      <Base.Trigger ref={ref} aria-label={getSelectLabel(label, chosen)} className={selectTriggerClass}>
        <span className="min-w-0 flex-1">
          {chosen ? <OptionText option={chosen} /> : <span className="text-muted">{placeholder}</span>}
        </span>
        {chosen?.badge}
        <Base.Icon>
          <Icon name="chevronDown" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner positionMethod="fixed" sideOffset={4} alignItemWithTrigger={false} className="z-60 outline-0">
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
