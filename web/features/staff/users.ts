import { queryOptions } from '@tanstack/react-query'
import type { User } from '#contract/auth.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import { listUsers } from '#contract/staff.ts'
import { call } from '#web/api/call.ts'

/** Spec §9. */
export const pageSize = 10

export const usersQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ['users', search, page],
    queryFn: ({ signal }) => call(listUsers, { query: { page, page_size: pageSize, ...(search !== '' && { search }) } }, { signal }),
  })

export type UsersFoundOnPage = ResponseOf<typeof listUsers>

/** A borrower's name; without one, phone or e-mail. */
export function getName({ metadata, phone, email, user_id }: User): string {
  const name = [metadata.first_name, metadata.last_name]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ')
  return name || phone || email || user_id
}

/** The first name if there is one: short enough for a button. */
export const getFirstName = (user: User): string => user.metadata.first_name.trim() || getName(user)
