import { queryOptions } from '@tanstack/react-query'
import { readOngoingApplication } from '#contract/applications.ts'
import { call } from '#web/api/call.ts'

export const applicationQuery = queryOptions({
  queryKey: ['application'],
  queryFn: async ({ signal }) => (await call(readOngoingApplication, {}, { signal })).application,
})
