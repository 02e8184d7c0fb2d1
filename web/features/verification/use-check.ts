import { useCallback, useEffect, useRef, useState } from 'react'
import { verificationPath } from '#contract/verification-path.ts'
import type { CheckFailure, VerifiedDocument } from './check-document.ts'
import { readDocumentCode } from './document-code.ts'

export type Check =
  | { step: 'none' }
  | { step: 'checking' }
  | { step: 'found'; document: VerifiedDocument }
  | { step: 'failed'; failure: CheckFailure | { reason: 'malformed' } }

/** The check of one code. A later check replaces one that is under way. */
export function useCheck(): { check: Check; start: (typed: string) => void } {
  const [check, setCheck] = useState<Check>({ step: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const start = useCallback((typed: string): void => {
    running.current?.abort()
    const code = readDocumentCode(typed)
    if (code === null) {
      setCheck({ step: 'failed', failure: { reason: 'malformed' } })
      return
    }
    const controller = new AbortController()
    running.current = controller
    setCheck({ step: 'checking' })
    // A reload checks the same code again.
    window.history.replaceState(null, '', `${verificationPath}?code=${code}`)
    void runCheck(code, controller.signal).then((result) => {
      if (!controller.signal.aborted) setCheck(result)
    })
  }, [])
  return { check, start }
}

async function runCheck(code: string, signal: AbortSignal): Promise<Check> {
  try {
    const { checkDocument } = await import('./check-document.ts')
    const result = await checkDocument(code, signal)
    return 'reason' in result ? { step: 'failed', failure: result } : { step: 'found', document: result }
  } catch {
    // The script of the check could not be loaded, or another check has replaced this one.
    return { step: 'failed', failure: { reason: 'no_connection' } }
  }
}
