import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Notice, readNotices } from '#contract/notices.ts'
import type { NoticeKind } from '#domain/notices.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { InstantText } from '#web/loan/days.tsx'
import { readReason } from '#web/session/access-reason.ts'
import { Badge } from '#web/ui/badge.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { getNoticeTarget } from './notice-target.ts'

const icons: Record<NoticeKind, IconName> = {
  payment_applied: 'check',
  foreclosure_short: 'clock',
  refund_asked: 'clock',
  refund_processed: 'check',
  refund_failed: 'alert',
  payment_reversed: 'alert',
  charge_added: 'alert',
  charge_waived: 'check',
  foreclosure_waived: 'check',
  due_soon: 'clock',
  tranche_approved: 'shield',
  tranche_released: 'check',
  tranche_rejected: 'close',
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
  const textOf = useNoticeText()
  return (
    <li className="border-b border-line last:border-b-0">
      <PathLink
        {...getNoticeTarget(notice)}
        onClick={() => onFollow(notice)}
        className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 px-4 py-3 text-sm text-ink no-underline hover:bg-brand-soft focus-visible:outline-offset-[-3px]"
      >
        <Icon name={icons[notice.kind]} className="mt-px text-muted" />
        <p className={notice.is_new ? 'font-semibold wrap-anywhere' : 'wrap-anywhere'}>{textOf(notice)}</p>
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

/** The sentence of a notice; a shorter one if a part of it is missing. */
function useNoticeText(): (notice: Notice) => string {
  const { t } = useLingui()
  const language = useLanguage()
  return ({ kind, amount: sum, date, subject }) => {
    const amount = sum && formatMoney(sum)
    const day = date && formatDay(date, language)
    const reason = subject && readReason(subject).text
    switch (kind) {
      case 'payment_applied':
        return amount === null ? t`A payment was received.` : t`A payment of ${amount} was received.`
      case 'foreclosure_short':
        return amount === null || day === null
          ? t`Your payment did not close the loan: an amount is still due.`
          : t`Your payment did not close the loan: ${amount} was still due on ${day}.`
      case 'refund_asked':
        return amount === null ? t`A refund is on its way to you.` : t`A refund of ${amount} is on its way to you.`
      case 'refund_processed':
        if (amount === null) return t`A refund has been sent.`
        return subject === null
          ? t`A refund of ${amount} has been sent.`
          : t`A refund of ${amount} has been sent, bank reference ${subject}.`
      case 'refund_failed':
        return amount === null
          ? t`A refund could not be sent yet; we are looking into it.`
          : t`A refund of ${amount} could not be sent yet; we are looking into it.`
      case 'charge_added':
        return amount === null ? t`A charge was added to your loan.` : t`A charge of ${amount} was added to your loan.`
      case 'charge_waived':
        return amount === null ? t`A charge was waived.` : t`A charge of ${amount} was waived.`
      case 'foreclosure_waived':
        return amount === null
          ? t`The rest of your loan was waived, and the loan is closed.`
          : t`The rest of your loan, ${amount}, was waived, and the loan is closed.`
      case 'payment_reversed':
        return amount === null ? t`A payment was reversed.` : t`A payment of ${amount} was reversed.`
      case 'due_soon':
        if (day === null) return t`An instalment falls due soon.`
        return amount === null ? t`An instalment falls due on ${day}.` : t`${amount} falls due on ${day}.`
      case 'tranche_approved':
        return amount === null || day === null ? t`Your lender approved a disbursal.` : t`Your lender approved ${amount} for ${day}.`
      case 'tranche_released':
        return amount === null ? t`A disbursal has been paid out.` : t`${amount} has been paid out.`
      case 'tranche_rejected':
        return amount === null ? t`Your lender rejected a request.` : t`Your lender rejected the request for ${amount}.`
      case 'document_added':
        return subject === null ? t`A document was added.` : t`${subject} was added to your documents.`
      case 'staff_assumed':
        return reason === null ? t`Your lender’s staff opened your account.` : t`Your lender’s staff opened your account: ${reason}`
      case 'new_device':
        return t`Somebody signed in to your account on a new device. If it was not you, sign out of other devices.`
      case 'sessions_ended':
        return t`Your account was signed out elsewhere.`
    }
  }
}
