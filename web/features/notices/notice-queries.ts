import { queryOptions } from '@tanstack/react-query'
import { readNotices } from '#contract/notices.ts'
import { call } from '#web/api/call.ts'
import { loansKey } from '#web/loan/loan-queries.ts'

/**
 * What changed. Asked for with the loans, and again when the person comes back to the page; never by a clock, which would keep
 * a session alive that nobody uses.
 */
export const noticesQuery = queryOptions({
  queryKey: [...loansKey, 'notices'],
  queryFn: ({ signal }) => call(readNotices, {}, { signal }),
})
