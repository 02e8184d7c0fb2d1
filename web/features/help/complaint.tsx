import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'
import { Icon } from '#web/ui/icon.tsx'
import { Leaf, LeafHead } from '#web/ui/leaf.tsx'
import { linkClass } from '#web/ui/link-class.ts'
import { ContactWays } from './contact-ways.tsx'

/** The way of a complaint: support, the grievance officer, the Reserve Bank's ombudsman. Steps that are not configured are left out. */
export function Complaint() {
  const { t } = useLingui()
  const { grievance_officer: officer, escalation } = getPortalConfig()
  const days = escalation.after_days
  return (
    <Leaf labelledBy="complaint">
      <LeafHead id="complaint" title={t`If you have a complaint`} subtitle={t`Keep the number and the date of your complaint.`} />
      <ol className="space-y-4">
        <Step number={1} title={t`Tell customer support`}>
          <p className="text-sm text-muted">{t`Most things are put right here.`}</p>
        </Step>
        {officer.name && (
          <Step number={2} title={t`Write to the grievance officer`}>
            <p className="mb-2 text-sm text-muted">
              <Trans>
                <b className="font-semibold text-ink">{officer.name}</b> answers within {days} days.
              </Trans>
            </p>
            <ContactWays phone={officer.phone} email={officer.email} />
          </Step>
        )}
        {escalation.url && (
          <Step number={officer.name ? 3 : 2} title={t`Go to the Reserve Bank’s ombudsman`}>
            <p className="text-sm text-muted">
              {t`If ${days} days pass without an answer, or the answer does not satisfy you, you may complain to the Reserve Bank of India, free of charge.`}
            </p>
            <a href={escalation.url} rel="noreferrer" className={`${linkClass} inline-flex min-h-target items-center gap-2 wrap-anywhere`}>
              {new URL(escalation.url).host}
              <Icon name="external" size={16} className="flex-none" />
            </a>
          </Step>
        )}
      </ol>
    </Leaf>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden="true"
        className="grid size-7 place-items-center rounded-full bg-brand-soft text-sm font-semibold text-on-brand-soft"
      >
        {number}
      </span>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  )
}
