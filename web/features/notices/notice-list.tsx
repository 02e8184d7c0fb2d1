import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Notice, readNotices } from '#contract/notices.ts'
import type { NoticeKind } from '#domain/notices.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { InstantText } from '#web/loan/days.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { getNoticeTarget } from './notice-target.ts'
import { NoticeText } from './notice-text.tsx'

const icons: Record<NoticeKind, IconName> = {
  payment_applied: 'check',
  foreclosure_short: 'clock',
  refund_asked: 'clock',
  refund_processed: 'check',
  refund_failed: 'alert',
  payment_reversed: 'alert',
  charge_added: 'alert',
  late_charge: 'alert',
  charge_waived: 'check',
  foreclosure_waived: 'check',
  loan_closed: 'check',
  due_soon: 'clock',
  autopay_announced: 'clock',
  autopay_debited: 'check',
  autopay_failed: 'alert',
  autopay_skipped: 'clock',
  autopay_cap_too_low: 'alert',
  autopay_ended: 'alert',
  tranche_approved: 'shield',
  tranche_released: 'check',
  tranche_rejected: 'close',
  rate_reset_notified: 'clock',
  rate_reset_chosen: 'check',
  rate_reset_defaulted: 'check',
  rate_reset_recomputed: 'alert',
  rate_reset_withdrawn: 'close',
  emi_start: 'clock',
  paper_published: 'document',
  document_added: 'document',
  staff_assumed: 'user',
  new_device: 'lock',
  sessions_ended: 'lock',
}

type NoticeListProps = { notices: UseQueryResult<ResponseOf<typeof readNotices>>; onFollow: (notice: Notice) => void }

/** The notices, newest first, with a mark on new ones. Each leads to what it is about. */
export function NoticeList({ notices, onFollow }: NoticeListProps) {
  const { t } = useLingui()
  return (
    <Loaded
      query={notices}
      failed={t`Failed to load notices`}
      failure="note"
      loading={<Skeleton className="mx-4 mb-4 h-24" />}
      isEmpty={(data) => data.notices.length === 0}
      empty={<p className="border-t border-rule px-4 py-4 text-sm text-muted">{t`Nothing new yet`}</p>}
    >
      {(data) => (
        <div
          role="region"
          aria-label={t`List of notices`}
          tabIndex={0}
          className="relative max-h-[min(26rem,70dvh)] overflow-auto border-t border-rule"
        >
          <ul>
            {data.notices.map((notice) => (
              <NoticeItem key={notice.notice_id} notice={notice} onFollow={onFollow} />
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  )
}

function NoticeItem({ notice, onFollow }: { notice: Notice; onFollow: NoticeListProps['onFollow'] }) {
  const { t } = useLingui()
  return (
    <li className="border-b border-line last:border-b-0">
      <PathLink
        {...getNoticeTarget(notice)}
        onClick={() => onFollow(notice)}
        className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 px-4 py-3 text-sm text-ink no-underline hover:bg-brand-soft focus-visible:outline-offset-[-3px]"
      >
        <Icon name={icons[notice.kind]} className="mt-px text-muted" />
        <p className={notice.is_new ? 'font-semibold wrap-anywhere' : 'wrap-anywhere'}>
          <NoticeText {...notice} />
        </p>
        <p className="order-last col-span-2 col-start-2 text-xs text-muted">
          {notice.lan && <>{notice.lan} · </>}
          <InstantText instant={notice.created_at} />
        </p>
        {notice.is_new && (
          <span>
            <Badge tone="info" icon="bell">
              {t`New`}
            </Badge>
          </span>
        )}
      </PathLink>
    </li>
  )
}
