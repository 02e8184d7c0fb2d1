import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import { endOtherSessions, listSessions } from '#contract/sessions.ts'
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
        {({ sessions }) => <SessionList sessions={sessions} />}
      </Loaded>
    </Card>
  )
}

/** What is asked about: one other session, or all others. */
type Asked = Session | 'all'

function SessionList({ sessions }: { sessions: readonly Session[] }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const [asked, setAsked] = useState<Asked | null>(null)
  const result = useRef<HTMLParagraphElement>(null)
  const end = useMutation({
    mutationFn: (which: Asked) => call(endOtherSessions, { query: which === 'all' ? {} : { session_id: which.session_id } }),
    onSuccess: (_answer, which) => {
      // Shown at once: a read can hang for a minute, and the dialog is locked meanwhile.
      client.setQueryData<{ sessions: Session[] }>(
        sessionsKey,
        (before) =>
          before && {
            ...before,
            sessions: before.sessions.filter((one) => one.is_current || (which !== 'all' && one.session_id !== which.session_id)),
          },
      )
      void client.invalidateQueries({ queryKey: sessionsKey })
    },
  })
  const ask = (which: Asked): void => {
    end.reset()
    setAsked(which)
  }
  const ended = end.data?.ended ?? 0
  return (
    <>
      <ul className="border-t border-rule empty:hidden">
        {sessions.map((session) => (
          <SessionEntry key={session.session_id} session={session} onEnd={() => ask(session)} />
        ))}
      </ul>
      {sessions.some((session) => !session.is_current) && (
        <Button variant="danger" icon="logout" className="mt-2" onClick={() => ask('all')}>
          {t`Sign out of other devices`}
        </Button>
      )}
      <p ref={result} role="status" tabIndex={-1} className="text-sm font-medium text-positive">
        {ended > 0 && t`${plural(ended, { one: '# other device was signed out.', other: '# other devices were signed out.' })}`}
      </p>
      <EndDialog
        asked={asked}
        pending={end.isPending}
        error={end.error}
        // The button of an ended session is gone.
        findFinalFocus={() => (end.isSuccess ? result.current : null)}
        onConfirm={() => asked !== null && end.mutate(asked, { onSuccess: () => setAsked(null) })}
        onCancel={() => setAsked(null)}
      />
    </>
  )
}

function SessionEntry({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { t } = useLingui()
  const name = useDeviceName(session)
  return (
    <li className="border-b border-line py-3 last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <b className="font-semibold">{name}</b>
        {session.is_current ? (
          <Badge tone="positive">{t`This device`}</Badge>
        ) : (
          <Button variant="quiet" size="sm" className="-mr-3" onClick={onEnd}>
            {t`Sign out`}
            <span className="sr-only">: {name}</span>
          </Button>
        )}
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

function useDeviceName(session: Session | null): string {
  const { t } = useLingui()
  const { browser, system } = readDeviceName(session?.user_agent ?? '')
  return browser && system ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown device`)
}

type EndDialogProps = {
  asked: Asked | null
  pending: boolean
  error: Error | null
  findFinalFocus: () => HTMLElement | null
  onConfirm: () => void
  onCancel: () => void
}

function EndDialog({ asked, error, ...rest }: EndDialogProps) {
  const { t, i18n } = useLingui()
  // While it fades out it shows what was asked.
  const [shown, setShown] = useState<Asked>('all')
  if (asked !== null && asked !== shown) setShown(asked)
  const session = shown === 'all' ? null : shown
  const name = useDeviceName(session)
  const texts =
    session === null
      ? { title: t`Sign out of other devices?`, confirmLabel: t`Sign out of other devices`, cancelLabel: t`Keep them` }
      : { title: t`Sign out of ${name}?`, confirmLabel: t`Sign out`, cancelLabel: t`Keep it` }
  return (
    <ConfirmDialog open={asked !== null} error={error && i18n._(getFailureText(error))} {...texts} {...rest}>
      {session === null ? (
        <p>{t`You stay signed in here. Every other phone or computer will need a new OTP.`}</p>
      ) : (
        <>
          <p>
            <Trans>
              Signed in <InstantText instant={session.created_at} />
            </Trans>
          </p>
          <p className="mt-2">{t`You stay signed in here. That device will need a new OTP.`}</p>
        </>
      )}
    </ConfirmDialog>
  )
}
