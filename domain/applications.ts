import type { Day } from './calendar.ts'

/** The way of an application, in order. It stands at the first by being submitted. */
export const applicationStages = ['submitted', 'documents_verified', 'assessed', 'sanctioned', 'agreement_signed'] as const
export type ApplicationStage = (typeof applicationStages)[number]

export const stageStatuses = ['done', 'current', 'waiting'] as const

/** What a lender may want of the borrower before an application can go on. */
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

/** `date` is the India day on which the stage was done; null before that. */
type StageProgress = { name: ApplicationStage; status: (typeof stageStatuses)[number]; date: Day | null }

/** Every stage as it stands: done where it has a day, the first without one is current. A lender may do a later one earlier. */
export function stageProgress(doneOn: ReadonlyMap<ApplicationStage, Day>): StageProgress[] {
  const current = applicationStages.find((name) => !doneOn.has(name))
  return applicationStages.map((name) => {
    const date = doneOn.get(name) ?? null
    return { name, status: date !== null ? 'done' : name === current ? 'current' : 'waiting', date }
  })
}

export const isAwaitedDocument = (text: string): text is AwaitedDocument => (awaitedDocuments as readonly string[]).includes(text)
