import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Application } from '#contract/applications.ts'
import type { ApplicationStage, AwaitedDocument } from '#domain/applications.ts'
import { paths } from '#web/app/paths.ts'
import { DayText } from '#web/loan/days.tsx'
import { getPortalConfig } from '#web/portal-config.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { linkClass } from '#web/ui/class-names.ts'
import { EmailLink, PhoneLink } from '#web/ui/contact-links.tsx'
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

/**
 * What the borrower has to send, each with its message to the lender; or that nothing is needed.
 * Documents can be uploaded for an active loan only (spec §5).
 */
export function AwaitedFromBorrower({ application }: { application: Application }) {
  const { t, i18n } = useLingui()
  const { support } = getPortalConfig()
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
              <li key={name} className="flex items-start gap-x-3 border-b border-line py-1">
                <Icon name="document" className="mt-2.5 flex-none text-muted" />
                <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
                  <span className="flex-1 basis-44 py-2 font-medium">{i18n._(awaitedText[name])}</span>
                  {support.email && <SendByEmail applicationId={application.application_id} document={i18n._(awaitedText[name])} />}
                </div>
              </li>
            ))}
          </ul>
          <WhereToSend applicationId={application.application_id} />
        </>
      )}
    </Card>
  )
}

/** Begins a message to the lender that names the application and the document. */
function SendByEmail({ applicationId, document }: { applicationId: string; document: string }) {
  const { t } = useLingui()
  const subject = encodeURIComponent(t`Application ${applicationId}: ${document}`)
  return (
    <a
      href={`mailto:${getPortalConfig().support.email}?subject=${subject}`}
      className={`${linkClass} inline-flex min-h-target items-center gap-2 text-sm`}
    >
      <Icon name="mail" size={18} className="flex-none" />
      {t`Send by email`}
      <span className="sr-only">: {document}</span>
    </a>
  )
}

/** Whom to write to, or the page of customer support; and whom to call. */
function WhereToSend({ applicationId }: { applicationId: string }) {
  const { email, phone } = getPortalConfig().support
  return (
    <div className="mt-3 space-y-2 text-sm text-muted">
      {email !== '' && (
        <p>
          <Trans>
            Attach a scan or a photo. The message goes to <EmailLink email={email} /> and names your application{' '}
            <span className="whitespace-nowrap">{applicationId}</span>.
          </Trans>
        </p>
      )}
      {email === '' && (
        <p>
          <Trans>
            Send these to your lender with your application number {applicationId}.{' '}
            <TextLink to={paths.customerSupport}>Customer support</TextLink> will tell you how.
          </Trans>
        </p>
      )}
      {phone !== '' && (
        <p>
          <Trans>
            Questions, or no email? Call <PhoneLink phone={phone} />.
          </Trans>
        </p>
      )}
    </div>
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
