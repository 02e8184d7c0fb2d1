import type { User } from '#contract/auth.ts'

/** The name and initials of the person whose data is shown. */
export function getPersonName(user: { metadata: Pick<User['metadata'], 'first_name' | 'last_name'> } | null): {
  name: string
  initials: string
} {
  const names = [user?.metadata.first_name, user?.metadata.last_name].map((part) => part?.trim() ?? '').filter((part) => part !== '')
  return { name: names.join(' '), initials: names.map((part) => Array.from(part)[0]?.toUpperCase() ?? '').join('') }
}
