import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { usePageTitle } from '#web/app/page-title.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { linkClass } from '#web/ui/class-names.ts'
import { EmailLink, PhoneLink } from '#web/ui/contact-links.tsx'
import { Icon, type IconName } from '#web/ui/icon.tsx'

/** How to contact the lender, and where to complain. */
export function SupportPage() {
  const { t } = useLingui()
  const language = useLanguage()
  usePageTitle(t`Customer support`)
  const { support, brand } = getPortalConfig()
  return (
    <>
      <h1>{t`Customer support`}</h1>
      <p className="mt-2 mb-5 max-w-[60ch]">
        {t`For questions about your loan, a payment or a document, contact your lender. Have your loan number at hand. We never ask for your OTP by phone or message.`}
      </p>
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        {(support.phone || support.email) && (
          <Card labelledBy="contact">
            <h2 id="contact" className="mb-3">
              {brand.lender}
            </h2>
            <ContactWays phone={support.phone} email={support.email} hours={language === 'hi' ? support.hours_hi : support.hours} />
            <p className="mt-3 text-sm text-muted">
              {t`Contact us here too to have your personal data corrected or erased. Some records must be kept by law.`}
            </p>
          </Card>
        )}
        <Complaint />
      </div>
    </>
  )
}

/**
 * The escalation of a complaint: support, the grievance officer, the Reserve Bank's ombudsman.
 * Steps that are not configured are left out.
 */
function Complaint() {
  const { t } = useLingui()
  const { grievance_officer: officer, escalation } = getPortalConfig()
  const days = escalation.after_days
  return (
    <Card labelledBy="complaint">
      <CardHead id="complaint" title={t`If you have a complaint`} subtitle={t`Keep your complaint number and its date.`} />
      <ol className="space-y-4">
        <Step number={1} title={t`Tell customer support`}>
          <p className="text-sm text-muted">{t`Most problems are resolved at this step.`}</p>
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
              {t`If you get no answer within ${days} days, or the answer does not satisfy you, you can complain to the Reserve Bank of India free of charge.`}
            </p>
            <a href={escalation.url} rel="noreferrer" className={`${linkClass} inline-flex min-h-target items-center gap-2 wrap-anywhere`}>
              {new URL(escalation.url).host}
              <Icon name="external" size={16} className="flex-none" />
            </a>
          </Step>
        )}
      </ol>
    </Card>
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

/** Phone, e-mail and hours, as far as configured. */
function ContactWays({ phone, email, hours }: { phone: string; email: string; hours?: string }) {
  const { t } = useLingui()
  return (
    <dl className="border-t border-rule">
      {phone && (
        <Way icon="phone" label={t`Phone`}>
          <PhoneLink phone={phone} className="inline-flex min-h-target items-center" />
        </Way>
      )}
      {email && (
        <Way icon="mail" label={t`Email`}>
          <EmailLink email={email} className="py-2.5" />
        </Way>
      )}
      {hours && (
        <Way icon="clock" label={t`Hours`}>
          {hours}
        </Way>
      )}
    </dl>
  )
}

function Way({ icon, label, children }: { icon: IconName; label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 border-b border-line py-2 last:border-b-0 last:pb-0">
      <Icon name={icon} className="row-span-2 text-muted" />
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex min-h-9 items-center font-semibold wrap-anywhere">{children}</dd>
    </div>
  )
}
