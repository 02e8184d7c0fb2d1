import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text to the clipboard and confirms it. `of` names the text to screen readers. */
export function CopyButton({ text, of }: { text: string; of?: string }) {
  const { t } = useLingui()
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      // Not allowed here: the text can still be selected.
    }
  }
  return (
    <Button variant="quiet" size="sm" icon={isCopied ? 'check' : 'copy'} className="flex-none" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? t`Copied` : t`Copy`}</span>
      {of !== undefined && <span className="sr-only"> {of}</span>}
    </Button>
  )
}
