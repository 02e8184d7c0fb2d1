import { useEffect, useState } from 'react'

/** Seconds until another code can be asked for, counted from the last request. */
export function useSecondsLeft(fromMs: number, seconds: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  // The clock of the last tick can be older than the request.
  const left = Math.max(0, Math.ceil((fromMs + seconds * 1000 - Math.max(nowMs, fromMs)) / 1000))
  const isCounting = left > 0
  useEffect(() => {
    if (!isCounting) return undefined
    const timer = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isCounting, fromMs])
  return left
}
