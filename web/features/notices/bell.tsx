import { Popover } from '@base-ui/react/popover'
import { useLingui } from '@lingui/react/macro'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { markNoticesRead, readNotices } from '#contract/notices.ts'
import { call } from '#web/api/call.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { loansKey } from '#web/loan/loan-queries.ts'
import { Icon } from '#web/ui/icon.tsx'
import { NoticeList } from './notice-list.tsx'

/** The number of unread notices, and their list on a press. Opening marks them as read. */
export function Bell({ className }: { className: string }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const notices = useLoad(noticesQuery)
  const [open, setOpen] = useState(false)
  const unread = notices.data?.unread_count ?? 0
  const read = useMutation({
    mutationFn: () => call(markNoticesRead, { body: {} }),
    // The count changes at once; the list keeps its marks until it is loaded again.
    onSuccess: ({ unread_count }) => client.setQueryData(noticesQuery.queryKey, (data) => data && { ...data, unread_count }),
  })
  const change = (next: boolean): void => {
    setOpen(next)
    if (next && unread > 0) read.mutate()
    if (!next) void notices.refetch()
  }
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <Popover.Trigger className={className} aria-label={unread > 0 ? t`Notices, ${unread} unread` : t`Notices`}>
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
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={6} collisionPadding={8} className="z-30 outline-0">
          <Popover.Popup className="w-90 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-raised shadow-3 outline-0">
            <Popover.Title className="px-4 pt-3 pb-2 text-base font-semibold">{t`Notices`}</Popover.Title>
            <NoticeList notices={notices} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/**
 * Requested with the loans, and again when the person returns to the page; never by a timer, which
 * would keep an unused session alive.
 */
const noticesQuery = queryOptions({
  queryKey: [...loansKey, 'notices'],
  queryFn: ({ signal }) => call(readNotices, {}, { signal }),
})
