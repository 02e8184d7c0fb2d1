import { CopyButton } from './copy-button.tsx'

/** A reference that the bank statement and support use. */
export function Reference({ label, text }: { label: string; text: string }) {
  return (
    <div className="mt-1 text-xs text-muted">
      {label}
      <p className="flex items-center gap-1">
        <span className="break-all text-ink">{text}</span>
        <CopyButton text={text} of={label} />
      </p>
    </div>
  )
}
