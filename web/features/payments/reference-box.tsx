import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'

/** The payment's reference, always in sight while one waits, to be copied or read out to support. */
export function ReferenceBox({ reference }: { reference: string }) {
  const { t } = useLingui()
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(reference)
      setCopied(true)
    } catch {
      // Not allowed here: the reference can still be selected by hand.
    }
  }
  return (
    <div className="flex items-center justify-between gap-2 rounded-md border border-dashed border-line-strong bg-raised py-1 pr-1 pl-4">
      <div className="min-w-0">
        <p className="text-xs text-muted">{t`Payment reference`}</p>
        <p className="font-semibold break-all select-all">{reference}</p>
      </div>
      <Button variant="quiet" size="sm" icon={copied ? 'check' : 'copy'} className="flex-none" onClick={() => void copy()}>
        <span aria-live="polite">{copied ? t`Copied` : t`Copy`}</span>
      </Button>
    </div>
  )
}
