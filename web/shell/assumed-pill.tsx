import { useLingui } from '@lingui/react/macro'
import { isAssuming } from '#web/api/auth-state.ts'
import { useSession } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { PathLink } from '#web/ui/links.tsx'
import { usePersonName } from './person-name.ts'

/** Whose account a staff member is in, on every page; it leads back to the list of users. */
export function AssumedPill({ bar = false }: { bar?: boolean }) {
  const { t } = useLingui()
  const { claims } = useSession()
  const { name } = usePersonName()
  if (!isAssuming(claims)) return null
  const shape = bar ? 'w-full justify-between pr-2 pl-4' : 'rounded-full py-1 pr-1.5 pl-3.5'
  return (
    <PathLink to={paths.users} className={`flex min-h-target items-center gap-2 bg-caution-mark text-sm text-on-caution-mark ${shape}`}>
      <span>
        {t`logged in as`} <b className="font-semibold">{name}</b>
      </span>
      <span className="px-3 py-1 font-semibold whitespace-nowrap underline underline-offset-[0.2em]">{t`Exit`}</span>
    </PathLink>
  )
}
