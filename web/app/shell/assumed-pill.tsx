import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { cx } from '#web/ui/class-names.ts'
import { Icon } from '#web/ui/icon.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { usePersonName } from './person-name.ts'
import { clockText, useAssumedSeconds, useExit } from './use-assumed.ts'

/** Whose account a staff member is in, and for how long, on every page. It leads back to the list of users and ends the assumption. */
export function AssumedPill({ bar = false }: { bar?: boolean }) {
  const { t } = useLingui()
  const { name } = usePersonName()
  const seconds = useAssumedSeconds()
  const exit = useExit()
  const [leaving, setLeaving] = useState(false)
  if (seconds === null) return null
  const time = clockText(seconds)

  function leave() {
    setLeaving(true)
    void exit().finally(() => setLeaving(false))
  }

  return (
    <button
      type="button"
      aria-busy={leaving || undefined}
      onClick={leaving ? undefined : leave}
      className={cx(
        'flex min-h-target items-center gap-2 bg-caution-mark text-left text-sm text-on-caution-mark print:hidden',
        bar ? 'w-full py-1 pr-1 pl-4 md:pr-2 md:pl-5' : 'rounded-full py-1 pr-1.5 pl-3.5',
      )}
    >
      {!bar && <Icon name="user" size={18} className="flex-none" />}
      <span className={cx('min-w-0', bar && 'flex-1')}>
        {t`logged in as`} <b className="font-semibold wrap-anywhere">{name}</b>
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
        {leaving && <Spinner />}
        {t`Exit`}
      </span>
    </button>
  )
}
