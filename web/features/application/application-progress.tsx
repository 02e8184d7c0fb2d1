import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Application } from '#contract/applications.ts'
import type { ApplicationStage, AwaitedDocument } from '#domain/applications.ts'
import { paths } from '#web/app/paths.ts'
import { DayText } from '#web/loan/days.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { Trail, type TrailStep } from '#web/ui/trail.tsx'

const trailState = { done: 'done', current: 'now', waiting: 'todo' } as const

/** Every stage with its state and date. */
export function ApplicationProgress({ application }: { application: Application }) {
  const { t, i18n } = useLingui()
  const steps = application.stages.map(({ name, status, date }): TrailStep => ({
    state: trailState[status],
    title: i18n._(stageText[name]),
    detail: date ? <DayText day={date} /> : status === 'current' ? t`In progress` : t`Not started`,
  }))
  return (
    <Card labelledBy="application-progress">
      <CardHead id="application-progress" title={t`Progress`} subtitle={t`Application ${application.application_id}`} />
      <Trail label={t`Progress`} steps={steps} />
    </Card>
  )
}

/** What the borrower has to send, and where; or that nothing is needed. */
export function AwaitedFromBorrower({ application }: { application: Application }) {
  const { t, i18n } = useLingui()
  const awaited = application.awaited_from_borrower
  return (
    <Card labelledBy="awaited">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="awaited">{t`Needed from you`}</h2>
        {awaited.length > 0 ? <Badge tone="caution">{t`Your turn`}</Badge> : <Badge tone="positive">{t`Nothing needed from you`}</Badge>}
      </div>
      {awaited.length === 0 ? (
        <p className="text-muted">{t`Your lender has everything it needs for now.`}</p>
      ) : (
        <>
          <ul className="border-t border-rule">
            {awaited.map((name) => (
              <li key={name} className="flex min-h-target items-center gap-3 border-b border-line py-2">
                <Icon name="document" className="flex-none text-muted" />
                <span className="font-medium">{i18n._(awaitedText[name])}</span>
              </li>
            ))}
          </ul>
          <p className="mt-3 text-sm text-muted">
            <Trans>
              Send these to your lender with your application number. <TextLink to={paths.customerSupport}>Customer support</TextLink> will
              tell you how.
            </Trans>
          </p>
        </>
      )}
    </Card>
  )
}

/** Usage: `i18n._(stageText[name])`. */
const stageText: Record<ApplicationStage, MessageDescriptor> = {
  submitted: msg`Application submitted`,
  documents_verified: msg`Document check`,
  assessed: msg`Assessment`,
  sanctioned: msg`Sanction`,
  agreement_signed: msg`Agreement signing`,
}

const awaitedText: Record<AwaitedDocument, MessageDescriptor> = {
  pan_card: msg`PAN card`,
  address_proof: msg`Proof of address`,
  income_proof: msg`Proof of income (salary slips or income tax return)`,
  bank_statement: msg`Bank statement of the last six months`,
  admission_letter: msg`Admission letter from the institute`,
  fee_structure: msg`Course fee structure`,
  co_applicant_papers: msg`Co-applicant’s documents`,
}
