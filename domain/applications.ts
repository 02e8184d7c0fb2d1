import type { Day } from './calendar.ts'

/** The stages of an application in their order. Submitting it completes the first one. */
export const applicationStages = ['submitted', 'documents_verified', 'assessed', 'sanctioned', 'agreement_signed'] as const
export type ApplicationStage = (typeof applicationStages)[number]

export const stageStatuses = ['done', 'current', 'waiting'] as const

/** Documents that a lender can ask the borrower for before an application continues. */
export const awaitedDocuments = [
  'pan_card',
  'address_proof',
  'income_proof',
  'bank_statement',
  'admission_letter',
  'fee_structure',
  'co_applicant_papers',
] as const
export type AwaitedDocument = (typeof awaitedDocuments)[number]

/** `date` is the day in India on which the stage was completed. It is null before that. */
type StageProgress = { name: ApplicationStage; status: (typeof stageStatuses)[number]; date: Day | null }

/**
 * A stage with a day is done, and the first stage without a day is current. A lender can complete
 * stages in another order.
 */
export function buildStageProgress(doneOn: ReadonlyMap<ApplicationStage, Day>): StageProgress[] {
  const current = applicationStages.find((name) => !doneOn.has(name))
  return applicationStages.map((name) => {
    const date = doneOn.get(name) ?? null
    return { name, status: date !== null ? 'done' : name === current ? 'current' : 'waiting', date }
  })
}

/** True if a text from the database names a document that an applicant can be asked for. */
export const isAwaitedDocument = (text: string): text is AwaitedDocument => (awaitedDocuments as readonly string[]).includes(text)
