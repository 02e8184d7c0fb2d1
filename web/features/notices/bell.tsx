import { useLingui } from '@lingui/react/macro'
import { queryOptions } from '@tanstack/react-query'
import { Suspense } from 'react'
import { readNotices } from '#contract/notices.ts'
import { call } from '#web/api/call.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { loansKey } from '#web/loan/loan-queries.ts'
import { Icon } from '#web/ui/icon.tsx'
import { createLazyPart, useReplacedButton } from '#web/ui/lazy-part.tsx'

const BellPopover = createLazyPart(async () => (await import('./bell-popover.tsx')).BellPopover)

/** The bell with the number of new notices. Their list is loaded when the page is idle. */
export function Bell({ className }: { className: string }) {
  const { t } = useLingui()
  const { isReplaced, wasPressed, ref, handlers } = useReplacedButton(BellPopover)
  const notices = useLoad(noticesQuery)
  const unread = notices.data?.unread_count ?? 0
  const look = {
    className,
    'aria-label': unread > 0 ? t`Notices, ${unread} unread` : t`Notices`,
    children: <BellIcon unread={unread} />,
  }
  const button = <button ref={ref} type="button" aria-haspopup="dialog" aria-expanded={false} {...handlers} {...look} />
  if (!isReplaced) return button
  return (
    <Suspense fallback={button}>
      <BellPopover notices={notices} look={look} ref={ref} defaultOpen={wasPressed} />
    </Suspense>
  )
}

function BellIcon({ unread = 0 }: { unread?: number }) {
  return (
    <span className="relative">
      <Icon name="bell" />
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="absolute -top-2 -right-2.5 grid h-4.5 min-w-4.5 place-items-center rounded-full bg-danger px-1 text-[0.6875rem]/none font-semibold text-on-danger tabular-nums"
        >
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </span>
  )
}

/**
 * Requested with the loans, and again when the person returns to the page; never by a timer, which
 * would keep an unused session alive.
 */
export const noticesQuery = queryOptions({
  queryKey: [...loansKey, 'notices'],
  queryFn: ({ signal }) => call(readNotices, {}, { signal }),
})
