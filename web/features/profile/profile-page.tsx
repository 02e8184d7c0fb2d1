import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { readUser } from '#contract/users.ts'
import { call } from '#web/api/call.ts'
import { loggedRead } from '#web/api/query-client.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { isAssuming, isStaffAlone } from '#web/session/claims.ts'
import { useSession } from '#web/session/session.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Sessions } from './sessions.tsx'
import { StaffAccess } from './staff-access.tsx'

/**
 * Shows what the lender knows about the person, read-only (spec §2 'Profile page'). `notices`
 * shows the notice preferences. It is a prop, because a feature must not import another feature.
 */
export function ProfilePage({ notices }: { notices: ReactNode }) {
  const { t } = useLingui()
  usePageTitle(t`Your profile`)
  const { user, claims } = useSession()
  const person = user?.metadata
  const phone = person?.phone ?? user?.phone
  const email = person?.email ?? user?.email
  const personId = claims?.assumed_user_id ?? claims?.sub
  return (
    <>
      <ProfileHead />
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        <div className={column}>
          <Card labelledBy="details">
            <h2 id="details" className="mb-3">
              {t`Your details`}
            </h2>
            <dl className="border-t border-rule">
              <DetailRow label={t`First name`} value={person?.first_name} />
              <DetailRow label={t`Last name`} value={person?.last_name} />
              <DetailRow label={t`Phone`} value={phone && formatPhone(phone)} badge={<Badge tone="positive">{t`Verified`}</Badge>} />
              <DetailRow
                label={t`Email`}
                value={email}
                badge={
                  person?.email_verified ? (
                    <Badge tone="positive">{t`Verified`}</Badge>
                  ) : (
                    <Badge tone="caution" icon="alert">
                      {t`Unverified`}
                    </Badge>
                  )
                }
              />
              <div className="border-b border-line py-2 last:border-b-0 last:pb-0">
                <dt className="text-sm text-muted">{t`PAN`}</dt>
                <dd className="flex min-h-9 flex-wrap items-center justify-between gap-2">{personId && <Pan personId={personId} />}</dd>
              </div>
            </dl>
          </Card>
          {!isStaffAlone(claims) && !isAssuming(claims) && notices}
        </div>
        {/* The lists, whose length nobody knows beforehand. */}
        <div className={column}>
          {!isStaffAlone(claims) && <StaffAccess />}
          {!isAssuming(claims) && <Sessions />}
        </div>
      </div>
    </>
  )
}

function ProfileHead() {
  const { t } = useLingui()
  return (
    <>
      <h1>{t`Your profile`}</h1>
      <p className="mb-5 text-muted">{t`To change any of this, write to your lender.`}</p>
    </>
  )
}

/** The profile before it is known whose it is. */
export function ProfileSkeleton() {
  return (
    <>
      <ProfileHead />
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        <Skeleton className="h-112 rounded-lg" />
        <Skeleton className="h-112 rounded-lg" />
      </div>
    </>
  )
}

const column = 'min-w-0 space-y-4 md:space-y-5'

function DetailRow({ label, value, badge }: { label: string; value: ReactNode; badge?: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className="border-b border-line py-2 last:border-b-0 last:pb-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex min-h-9 flex-wrap items-center justify-between gap-2">
        {value ? (
          <span className="max-w-full min-w-0 flex-auto font-semibold wrap-anywhere tabular-nums">{value}</span>
        ) : (
          <span className="text-muted">{t`Not provided`}</span>
        )}
        {value && badge}
      </dd>
    </div>
  )
}

/**
 * The whole PAN of the person. The page loads it when it opens and keeps it in memory only while it
 * is open (decision 61). Each read by staff adds an entry to the borrower's access log, so the page
 * reads it only once.
 */
function Pan({ personId }: { personId: string }) {
  const { t } = useLingui()
  const loaded = useLoad({
    queryKey: ['profile', personId],
    queryFn: ({ signal }) => call(readUser, { params: { user_id: personId } }, { signal }),
    ...loggedRead,
    gcTime: 0,
  })
  return (
    <Loaded
      query={loaded}
      failed={t`The PAN could not be loaded.`}
      failure="line"
      loading={<span role="status" className="text-muted">{t`Loading the PAN...`}</span>}
    >
      {({ user: { pan } }) =>
        pan ? <span className="flex-auto font-semibold tabular-nums">{pan}</span> : <span className="text-muted">{t`Not provided`}</span>
      }
    </Loaded>
  )
}
