/** Something that is wanted or not: a native checkbox, its whole line the label. */
export function ToggleField({ label, checked, onChange }: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label className="flex min-h-target items-center gap-3 rounded-md py-1 has-focus-visible:outline-3 has-focus-visible:outline-focus">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-5 flex-none accent-brand outline-0"
      />
      {label}
    </label>
  )
}
