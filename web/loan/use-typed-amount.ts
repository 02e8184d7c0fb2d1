import { useEffect, useState } from 'react'
import type { Paise } from '#domain/money.ts'

/** Debounce: without it every digit would be a request. */
const pauseMs = 350

/** The amount to ask for while another one is typed; the last one while the text is no amount. */
export function useTypedAmount(amount: Paise | null): Paise | null {
  const [asked, setAsked] = useState(amount)
  useEffect(() => {
    if (amount === null) return undefined
    const timer = setTimeout(() => setAsked(amount), pauseMs)
    return () => clearTimeout(timer)
  }, [amount])
  return asked
}
