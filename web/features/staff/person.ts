import type { User } from '#contract/auth.ts'

/** What a borrower is called; whoever has no name is known by phone or e-mail. */
export function nameOf({ metadata, phone, email, user_id }: User): string {
  const name = [metadata.first_name, metadata.last_name]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ')
  return name || phone || email || user_id
}

/** The first name where there is one: short enough for a button. */
export const firstNameOf = (user: User): string => user.metadata.first_name.trim() || nameOf(user)
