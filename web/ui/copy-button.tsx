import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useLingui()
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // Not allowed here: the text can still be selected.
    }
  }
  return (
    <Button variant="quiet" size="sm" icon={copied ? 'check' : 'copy'} className="flex-none" onClick={() => void copy()}>
      <span aria-live="polite">{copied ? t`Copied` : t`Copy`}</span>
    </Button>
  )
}
