import { Popover } from '@base-ui/react/popover'
import { useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useRef, useState, type ButtonHTMLAttributes, type Ref } from 'react'
import type { RequestOf, ResponseOf } from '#contract/endpoint.ts'
import { markNoticesRead, type Notice, type readNotices } from '#contract/notices.ts'
import { call } from '#web/api/call.ts'
import { isAssuming } from '#web/session/claims.ts'
import { useSession } from '#web/session/session.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { noticesQuery } from './bell.tsx'
import { NoticeList } from './notice-list.tsx'

type BellPopoverProps = {
  notices: UseQueryResult<ResponseOf<typeof readNotices>>
  /** The button, whose popover this is. */
  look: ButtonHTMLAttributes<HTMLButtonElement>
  ref: Ref<HTMLButtonElement>
  defaultOpen: boolean
}

/**
 * The list of notices on a press. A notice is read when it is followed, or with all others on a
 * press; opening the list reads none.
 */
export function BellPopover({ notices, look, ref, defaultOpen }: BellPopoverProps) {
  const { t } = useLingui()
  const client = useQueryClient()
  const [open, setOpen] = useState(defaultOpen)
  const unread = notices.data?.unread_count ?? 0
  const read = useMutation({
    mutationFn: (body: RequestOf<typeof markNoticesRead>['body']) => call(markNoticesRead, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })
  // Staff who act for a borrower leave the borrower's notices as they are.
  const mayMark = !isAssuming(useSession().claims)
  const title = useRef<HTMLHeadingElement>(null)
  const follow = ({ notice_id, is_new }: Notice): void => {
    setOpen(false)
    if (mayMark && is_new) read.mutate({ notice_ids: [notice_id] })
  }
  const readAll = (): void => {
    // What came since is not shown yet, and stays unread.
    read.mutate({ up_to: notices.data?.notices[0]?.notice_id })
    // The pressed button disappears.
    title.current?.focus()
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger ref={ref} {...look} />
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={6} collisionPadding={8} className="z-30 outline-0">
          <Popover.Popup className="w-90 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-raised shadow-3 outline-0">
            <div className="flex min-h-13 items-center justify-between gap-3 pr-1.5 pl-4">
              <Popover.Title ref={title} tabIndex={-1} className="text-base font-semibold">{t`Notices`}</Popover.Title>
              {mayMark && unread > 0 && <Button variant="quiet" size="sm" onClick={readAll}>{t`Mark all as read`}</Button>}
            </div>
            {read.isError && read.variables.notice_ids === undefined && (
              <Banner tone="danger" live="alert" className="mx-2 mb-2">
                {t`The notices could not be marked as read. Please try again.`}
              </Banner>
            )}
            <NoticeList notices={notices} onFollow={follow} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
