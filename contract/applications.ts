import * as z from 'zod/mini'
import { applicationStages, awaitedDocuments, stageStatuses } from '#domain/applications.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'

export const application = z.object({
  application_id: z.string(),
  submitted_at: instant,
  /** In their order. `date` is when a stage was completed. */
  stages: z.array(z.object({ name: z.enum(applicationStages), status: z.enum(stageStatuses), date: z.nullable(day) })),
  awaited_from_borrower: z.array(z.enum(awaitedDocuments)),
})
export type Application = z.output<typeof application>

/**
 * The application under decision: the newest if there are several, null if there is none (decision
 * 13).
 */
export const readOngoingApplication = endpoint({
  method: 'GET',
  path: '/portal/ongoing-application',
  access: 'session',
  summary: 'The application of the borrower under decision',
  response: z.object({ application: z.nullable(application) }),
})
