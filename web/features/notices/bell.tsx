import { Popover } from '@base-ui/react/popover'
import { useLingui } from '@lingui/react/macro'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { markNoticesRead, readNotices, type Notice } from '#contract/notices.ts'
import { call } from '#web/api/call.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { loansKey } from '#web/loan/loan-queries.ts'
import { isAssuming } from '#web/session/auth-state.ts'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { NoticeList } from './notice-list.tsx'

/**
 * The number of new notices, and their list on a press. A notice is read when it is followed, or
 * with all others on a press; opening the list reads none.
 */
export function Bell({ className }: { className: string }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const notices = useLoad(noticesQuery)
  const [open, setOpen] = useState(false)
  const unread = notices.data?.unread_count ?? 0
  const read = useMutation({
    mutationFn: (noticeIds: string[] | null) => call(markNoticesRead, { body: noticeIds === null ? {} : { notice_ids: noticeIds } }),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })
  // Staff who act for a borrower leave the borrower's notices as they are.
  const mayMark = !isAssuming(useSession().claims)
  const title = useRef<HTMLHeadingElement>(null)
  const follow = ({ notice_id, is_new }: Notice): void => {
    setOpen(false)
    if (mayMark && is_new) read.mutate([notice_id])
  }
  const readAll = (): void => {
    read.mutate(null)
    // The pressed button disappears.
    title.current?.focus()
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
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
            <div className="flex min-h-13 items-center justify-between gap-3 pr-1.5 pl-4">
              <Popover.Title ref={title} tabIndex={-1} className="text-base font-semibold">{t`Notices`}</Popover.Title>
              {mayMark && unread > 0 && <Button variant="quiet" size="sm" onClick={readAll}>{t`Mark all as read`}</Button>}
            </div>
            <NoticeList notices={notices} onFollow={follow} />
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
