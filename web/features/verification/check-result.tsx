import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { GeneratedDocumentType } from '#domain/documents.ts'
import { dayText, rupees } from '#domain/written-figures.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { documentTypeText } from '#web/loan/document-names.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Banner } from '#web/ui/banner.tsx'
import { PhoneLink } from '#web/ui/contact-links.tsx'
import type { CheckFailure, VerifiedDocument } from './check-document.ts'
import type { Check } from './use-check.ts'

/** The answer to a check, announced when it arrives. */
export function CheckResult({ check }: { check: Check }) {
  const { t } = useLingui()
  return (
    <div role="status" className="mt-6">
      {check.step === 'checking' && <p className="text-muted">{t`Checking…`}</p>}
      {check.step === 'found' && <FoundDocument document={check.document} />}
      {check.step === 'failed' && check.failure.reason !== 'malformed' && <Failed failure={check.failure} />}
    </div>
  )
}

function FoundDocument({ document }: { document: VerifiedDocument }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const { lender, cancelled_on, amount, doc_type, issued_on, lan_ending } = document
  const date = cancelled_on === null ? '' : dayText(cancelled_on, language)
  return (
    <section aria-labelledby="result" className="rounded-lg border border-line bg-raised p-4 shadow-1 md:p-6">
      <h2 id="result" className="sr-only">{t`Result`}</h2>
      {cancelled_on === null ? (
        <Banner tone="positive">
          <b>{t`Genuine: ${lender} issued this document.`}</b>
        </Banner>
      ) : (
        <Banner tone="danger">
          <b>
            {doc_type === 'loan_closure_certificate'
              ? t`Not valid since ${date}: the loan did not stay closed.`
              : t`Not valid since ${date}: the payment was reversed or returned.`}
          </b>
        </Banner>
      )}
      <dl className="mt-4 divide-y divide-line">
        <Row label={t`Document`}>{i18n._(documentTypeText[doc_type])}</Row>
        <Row label={t`Issued on`}>{dayText(issued_on, language)}</Row>
        {amount !== null && <Row label={i18n._(amountText[doc_type])}>{rupees(amount)}</Row>}
        <Row label={t`Loan number ends with`}>{lan_ending}</Row>
        <Row label={t`Lender`}>{lender}</Row>
      </dl>
      <p className="mt-4 text-sm">
        {t`Compare this with the document. If anything differs, the document was changed.`} <CallLender />
      </p>
      <p className="mt-2 text-sm text-muted">{t`The borrower’s name is not shown here, to protect their privacy.`}</p>
    </section>
  )
}

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex flex-wrap justify-between gap-x-4 py-2">
    <dt className="text-muted">{label}</dt>
    <dd className="font-semibold tabular-nums">{children}</dd>
  </div>
)

function Failed({ failure }: { failure: CheckFailure }) {
  const { t } = useLingui()
  const lender = getPortalConfig().brand.lender
  switch (failure.reason) {
    case 'unknown':
      return (
        <Banner tone="danger">
          <p className="font-semibold">{t`No document has this code`}</p>
          <p>
            {t`Compare the code with the document, letter by letter. If it is the same, ${lender} did not issue the document.`}{' '}
            <CallLender />
          </p>
        </Banner>
      )
    case 'too_many':
      return (
        <Banner tone="caution">
          {t`Too many checks came from your network.`} <Wait seconds={failure.waitSeconds} />
        </Banner>
      )
    case 'no_connection':
      return (
        <Banner tone="danger" icon="offline">
          {t`The document could not be checked: no connection. The code is kept. Check your internet connection, then press Check again.`}
        </Banner>
      )
    case 'unavailable':
      return (
        <Banner tone="danger">{t`The document could not be checked at the moment. The code is kept. Press Check again in a few minutes.`}</Banner>
      )
  }
}

function Wait({ seconds }: { seconds: number | null }) {
  const minutes = Math.max(1, Math.ceil((seconds ?? 60) / 60))
  return (
    <Plural
      value={minutes}
      one="The code is kept. Press Check again in a minute."
      other="The code is kept. Press Check again in # minutes."
    />
  )
}

function CallLender() {
  const { phone } = getPortalConfig().support
  if (phone === '') return null
  return (
    <Trans>
      If in doubt, call <PhoneLink phone={phone} />.
    </Trans>
  )
}

/** What the amount of a document is. The letters that are not issued here have none. */
const amountText: Record<GeneratedDocumentType, MessageDescriptor> = {
  statement_of_account: msg`Principal outstanding at the end`,
  interest_certificate: msg`Interest paid`,
  repayment_schedule: msg`Disbursed amount`,
  payoff_letter: msg`Amount that closes the loan`,
  loan_closure_certificate: msg`Total repaid`,
  sanction_letter: msg`Amount`,
  loan_agreement: msg`Amount`,
  payment_receipt: msg`Amount received`,
}
