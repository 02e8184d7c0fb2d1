import type { Loan } from '#contract/loans.ts'
import { GenerateCard } from './generate-card.tsx'
import { UploadsCard } from './uploads-card.tsx'

/** What was shared about a loan, and what can be had of it (spec §2 'Documents tab'). */
export function DocumentsTab({ loan }: { loan: Loan }) {
  return (
    <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
      <UploadsCard loan={loan} />
      <GenerateCard loan={loan} />
    </div>
  )
}
