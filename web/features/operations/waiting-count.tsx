import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { countsQuery } from './operations-queries.ts'

/** How many proposals wait for somebody like the reader; nothing if none. */
export function WaitingCount() {
  const { t } = useLingui()
  const count = useQuery(countsQuery()).data?.to_approve ?? 0
  if (count === 0) return null
  return (
    <span className="rounded-full bg-caution-mark px-2 text-xs/5 font-semibold text-on-caution-mark tabular-nums">
      {count}
      <span className="sr-only"> {t`to approve`}</span>
    </span>
  )
}
