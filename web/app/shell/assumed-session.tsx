import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { paths } from '#web/app/paths.ts'
import { endAssuming, endsEarlyMs } from '#web/session/assuming.ts'
import { isAssuming } from '#web/session/claims.ts'
import { useViewOnly } from '#web/session/permissions.ts'
import { expireSession, getSession, isSignedIn, getSessionEndsAtMs, readActor, usePersonName, useSession } from '#web/session/session.ts'
import { getStaffListHref, returnToStaffList } from '#web/session/staff-list.ts'
import { Spinner } from '#web/ui/button.tsx'
import { cx } from '#web/ui/class-names.ts'
import { Icon } from '#web/ui/icon.tsx'
import { useIsAnnounceable } from '#web/ui/live-region.ts'

const lastMinutes = 2

/**
 * Announces an assumed session at its start and shortly before its end, on every page, and ends it
 * in time. Screen readers do not read the countdown.
 */
export function AssumedSession() {
  const { t } = useLingui()
  const { name } = usePersonName()
  const seconds = useAssumedSeconds()
  const exit = useExit()
  const latestExit = useRef(exit)
  useEffect(() => {
    latestExit.current = exit
  })

  const { token } = useSession()
  useEffect(() => {
    const endsAtMs = getAssumedEndsAtMs()
    if (endsAtMs === null) return undefined
    const endWhenOver = (): void => {
      if (Date.now() < endsAtMs) return
      // On a device that slept the session may be over already: the staff member signs in again.
      if (isSignedIn()) void latestExit.current()
      else expireSession()
    }
    // One timer for the end itself: in a background page, browsers run repeated timers once a
    // minute.
    const timer = setTimeout(endWhenOver, endsAtMs - Date.now())
    document.addEventListener('visibilitychange', endWhenOver)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', endWhenOver)
    }
  }, [token])

  const isReady = useIsAnnounceable()
  return (
    <p role="status" className="sr-only">
      {isReady &&
        seconds !== null &&
        (seconds > lastMinutes * 60
          ? t`You are signed in as ${name}.`
          : t`You are signed in as ${name} for ${lastMinutes} more minutes at most.`)}
    </p>
  )
}

/**
 * The assumed borrower's name and the time that is left, on every page. A press ends the session
 * and leads to the list of users.
 */
export function AssumedPill({ bar = false }: { bar?: boolean }) {
  const { t } = useLingui()
  const { name } = usePersonName()
  const seconds = useAssumedSeconds()
  const exit = useExit()
  const [isLeaving, setIsLeaving] = useState(false)
  if (seconds === null) return null
  const time = formatRemaining(seconds)

  function leave() {
    setIsLeaving(true)
    void exit().finally(() => setIsLeaving(false))
  }

  return (
    <button
      type="button"
      aria-busy={isLeaving || undefined}
      onClick={isLeaving ? undefined : leave}
      className={cx(
        'flex min-h-target items-center gap-2 bg-caution-mark text-left text-sm text-on-caution-mark print:hidden',
        bar ? 'w-full py-1 pr-1 pl-4 md:pr-2 md:pl-5' : 'rounded-full py-1 pr-1.5 pl-3.5',
      )}
    >
      {!bar && <Icon name="user" size={18} className="flex-none" />}
      <span className={cx('min-w-0', bar && 'flex-1')}>
        {t`logged in as`} <b className="font-semibold wrap-anywhere">{name}</b>
        <ActorLine />
      </span>
      <span className="flex-none whitespace-nowrap tabular-nums">
        {bar ? (
          <Trans>
            {time}
            <span className="sr-only"> left</span>
          </Trans>
        ) : (
          t`· ${time} left`
        )}
      </span>
      <span className="inline-flex flex-none items-center gap-1.5 rounded-full px-3 py-1 font-semibold underline underline-offset-[0.2em]">
        {isLeaving && <Spinner />}
        {t`Exit`}
      </span>
    </button>
  )
}

/** The staff member who acts, and whether they may change anything. */
function ActorLine() {
  const { t } = useLingui()
  const viewOnly = useViewOnly()
  const actor = readActor()
  const ownName = [actor?.first_name, actor?.last_name].filter(Boolean).join(' ')
  return (
    <span className="block text-xs">
      {ownName && t`You are ${ownName}`}
      {ownName && viewOnly && ' · '}
      {viewOnly && t`You may look, not change`}
    </span>
  )
}

/** Ends the assumed session and opens the list of users as it was left. */
function useExit(): () => Promise<void> {
  const router = useRouter()
  return async () => {
    try {
      await endAssuming()
    } finally {
      // A logout may have been confirmed meanwhile.
      if (isSignedIn()) {
        returnToStaffList()
        router.history.push(getStaffListHref() ?? paths.users)
      }
    }
  }
}

function subscribeEverySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1000)
  return () => clearInterval(timer)
}
const subscribeNever = () => () => {}
const getNowSeconds = () => Math.floor(Date.now() / 1000)

/** When the assumed session is to be ended, by this device's clock; null without one. */
function getAssumedEndsAtMs(): number | null {
  const endsAtMs = isAssuming(getSession().claims) ? getSessionEndsAtMs() : null
  return endsAtMs === null ? null : endsAtMs - endsEarlyMs
}

/** Seconds until the assumed session is ended; null without one. */
function useAssumedSeconds(): number | null {
  const assuming = isAssuming(useSession().claims)
  const now = useSyncExternalStore(assuming ? subscribeEverySecond : subscribeNever, getNowSeconds, getNowSeconds)
  const endsAtMs = getAssumedEndsAtMs()
  return endsAtMs === null ? null : Math.max(0, Math.ceil(endsAtMs / 1000) - now)
}

/** '24:10'. */
const formatRemaining = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
