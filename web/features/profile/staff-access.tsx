import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import { readStaffAccess } from '#contract/staff-access.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { call } from '#web/api/call.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { getPortalConfig } from '#web/portal-config.ts'
import { accessCategoryText } from '#web/session/access-category-text.ts'
import { readReason } from '#web/session/access-reason.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatTime } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { showRest } from '#web/ui/move-focus.ts'
import { useStaffActTexts } from './staff-act-texts.ts'
import { splitActs, type StaffAction } from './staff-acts.ts'

type Access = ResponseOf<typeof readStaffAccess>['staff_access'][number]

const shownAtFirst = 5

/**
 * Each time staff acted as the borrower or read the profile: when, which role, why, and what they
 * did.
 */
export function StaffAccess() {
  const { t } = useLingui()
  const read = useLoad({ queryKey: ['staff-access'], queryFn: ({ signal }) => call(readStaffAccess, {}, { signal }) })
  return (
    <Card labelledBy="staff-access" className="lg:row-span-2">
      <h2 id="staff-access">{t`Staff access to your account`}</h2>
      <p className="mb-3 text-sm text-muted">{t`Each time the lender’s staff opened your account, and why.`}</p>
      <Loaded
        query={read}
        loading={
          // As high as the sentence for nobody, which most people have.
          <p role="status" className="border-t border-rule pt-4 text-muted">{t`Loading the list...`}</p>
        }
        isEmpty={({ staff_access }) => staff_access.length === 0}
        empty={<p className="border-t border-rule pt-4 text-muted">{t`No staff member has opened your account.`}</p>}
      >
        {({ staff_access }) => (
          <>
            <AccessList list={staff_access} />
            <CallSupport />
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** The accesses, newest first: five, then all. */
export function AccessList({ list }: { list: readonly Access[] }) {
  const { t } = useLingui()
  const [showsAll, setShowsAll] = useState(false)
  const number = list.length
  const shown = showsAll ? list : list.slice(0, shownAtFirst)
  return (
    <>
      <ol className="border-t border-rule">
        {shown.map((access) => (
          <AccessEntry key={`${access.kind} ${access.started_at.getTime()}`} access={access} />
        ))}
      </ol>
      {shown.length < list.length && (
        <Button
          variant="quiet"
          className="-mx-2.5"
          onClick={({ currentTarget }) => showRest(currentTarget, shownAtFirst, () => setShowsAll(true))}
        >
          {t`Show all ${number}`}
        </Button>
      )}
    </>
  )
}

/** One action as the borrower reads it. */
export function StaffActText({ act }: { act: StaffAction }) {
  return useStaffActTexts().done(act, 1)
}

function CallSupport() {
  const { t } = useLingui()
  const { phone } = getPortalConfig().support
  if (!phone) return null
  return (
    <p className="mt-4 flex items-start gap-2 text-sm text-muted">
      <Icon name="info" size={16} className="mt-0.5 flex-none" />
      {t`Did not ask for this? Call ${phone}.`}
    </p>
  )
}

function AccessEntry({ access }: { access: Access }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const texts = useStaffActTexts()
  const { seen, done } = splitActs(access.acts)
  const reason = access.reason === null ? null : readReason(access.reason)
  const isRead = access.kind === 'profile_read'
  const from = formatTime(access.started_at, language)
  const to = access.ended_at && formatTime(access.ended_at, language)
  return (
    <li className="border-b border-line py-3 last:border-b-0 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <b className="font-semibold">{access.team === 'operations' ? t`Operations team` : t`Support team`}</b>
        <span className="flex items-center gap-2 text-sm text-muted">
          {to === null && <Badge tone="caution">{t`Open now`}</Badge>}
          <DayText day={dayInIndia(access.started_at)} />
        </span>
      </div>
      <p className="text-sm wrap-anywhere">{isRead ? t`Looked up your profile` : reason === null ? t`No reason was given` : reason.text}</p>
      <p className="text-sm tabular-nums text-muted">
        {to === null ? t`since ${from}` : from === to ? from : t`${from} to ${to}`}
        {reason?.category && <> · {i18n._(accessCategoryText[reason.category])}</>}
        {done.length === 0 && <> · {t`Viewed only`}</>}
      </p>
      {done.length > 0 && (
        <ul className="text-sm font-medium">
          {done.map(({ act, times }) => (
            <li key={act}>{texts.done(act, times)}</li>
          ))}
        </ul>
      )}
      {seen.length > 0 && !isRead && <p className="text-sm text-muted">{texts.seen(seen)}</p>}
    </li>
  )
}
