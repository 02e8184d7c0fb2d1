import type { User } from '#contract/auth.ts'
import { useSession } from '#web/session/session.ts'

/** The name of whose loans are shown, and its initials. */
export function personName(user: User | null): { name: string; initials: string } {
  const names = [user?.metadata.first_name, user?.metadata.last_name].map((part) => part?.trim() ?? '').filter((part) => part !== '')
  return { name: names.join(' '), initials: names.map((part) => Array.from(part)[0]?.toUpperCase() ?? '').join('') }
}

export const usePersonName = () => personName(useSession().user)
