import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ApplicationStage, AwaitedThing } from '#domain/applications.ts'

/** Each stage as a thing that is done, under way or to come: `_(stageText[name])`. */
export const stageText: Record<ApplicationStage, MessageDescriptor> = {
  submitted: msg`Application submitted`,
  documents_verified: msg`Document check`,
  assessed: msg`Assessment`,
  sanctioned: msg`Sanction`,
  agreement_signed: msg`Signing of the agreement`,
}

export const awaitedText: Record<AwaitedThing, MessageDescriptor> = {
  pan_card: msg`PAN card`,
  address_proof: msg`Proof of address`,
  income_proof: msg`Proof of income (salary slips or income tax return)`,
  bank_statement: msg`Bank statement of the last six months`,
  admission_letter: msg`Admission letter of the institute`,
  fee_structure: msg`Fee structure of the course`,
  co_applicant_papers: msg`Papers of the co-applicant`,
}
