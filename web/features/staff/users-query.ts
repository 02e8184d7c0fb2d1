import { queryOptions } from '@tanstack/react-query'
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
