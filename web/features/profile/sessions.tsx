import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import { endOtherSessions, listSessions } from '#contract/staff.ts'
import { call } from '#web/api/call.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { InstantText } from '#web/loan/days.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { readDeviceName } from './device-name.ts'

type Session = ResponseOf<typeof listSessions>['sessions'][number]

const sessionsKey = ['sessions']

/** Where the person is signed in, with a button that ends all other sessions. */
export function Sessions() {
  const { t } = useLingui()
  const read = useLoad({ queryKey: sessionsKey, queryFn: ({ signal }) => call(listSessions, {}, { signal }) })
  return (
    <Card labelledBy="sessions">
      <h2 id="sessions">{t`Sessions`}</h2>
      <p className="mb-3 text-sm text-muted">{t`Where you are signed in at the moment.`}</p>
      <Loaded
        query={read}
        loading={
          <>
            <LoadingText>{t`Loading the list...`}</LoadingText>
            <Skeleton className="h-20 w-full" />
          </>
        }
      >
        {({ sessions }) => (
          <>
            <ul className="border-t border-rule empty:hidden">
              {sessions.map((session) => (
                <SessionEntry key={session.session_id} session={session} />
              ))}
            </ul>
            <EndOthers others={sessions.filter((session) => !session.is_current).length} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function SessionEntry({ session }: { session: Session }) {
  const { t } = useLingui()
  const { browser, system } = readDeviceName(session.user_agent)
  const name = browser && system ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown device`)
  return (
    <li className="border-b border-line py-3 last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <b className="font-semibold">{name}</b>
        {session.is_current && <Badge tone="positive">{t`This device`}</Badge>}
      </div>
      <p className="text-sm text-muted">
        <Trans>
          Signed in <InstantText instant={session.created_at} />
        </Trans>
      </p>
      {!session.is_current && (
        <p className="text-sm text-muted">
          <Trans>
            Last used <InstantText instant={session.last_seen_at} />
          </Trans>
        </p>
      )}
    </li>
  )
}

function EndOthers({ others }: { others: number }) {
  const { t, i18n } = useLingui()
  const client = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const end = useMutation({
    mutationFn: () => call(endOtherSessions, {}),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionsKey })
      setIsAsking(false)
    },
  })
  const ended = end.data?.ended ?? 0
  return (
    <>
      {others > 0 && (
        <Button
          variant="danger"
          icon="logout"
          className="mt-2"
          onClick={() => {
            end.reset()
            setIsAsking(true)
          }}
        >
          {t`Sign out of other devices`}
        </Button>
      )}
      <p role="status" className="text-sm font-medium text-positive">
        {end.isSuccess &&
          others === 0 &&
          t`${plural(ended, { one: '# other device was signed out.', other: '# other devices were signed out.' })}`}
      </p>
      <ConfirmDialog
        open={isAsking}
        title={t`Sign out of other devices?`}
        confirmLabel={t`Sign out of other devices`}
        cancelLabel={t`Keep them`}
        pending={end.isPending}
        error={end.isError ? i18n._(getFailureText(end.error)) : null}
        onConfirm={() => end.mutate()}
        onCancel={() => !end.isPending && setIsAsking(false)}
      >
        <p>{t`You stay signed in here. Every other phone or computer will need a new OTP.`}</p>
      </ConfirmDialog>
    </>
  )
}
