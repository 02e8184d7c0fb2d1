import { useLingui } from '@lingui/react/macro'
import type { Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { ApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { getOperationsLoanPath } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Banner } from '#web/ui/banner.tsx'
import { formatDay, formatInstant, formatMoney } from '#web/ui/format.ts'
import { TextLink } from '#web/ui/links.tsx'
import { getModeText } from './kind-texts.ts'
import { findRefusalText, notDisclosedText, notFoundText } from './refusal-texts.ts'

const inputPrefix = 'input.'

/** A refusal that can be corrected in one field: its sentence is shown at that field. */
export function useFieldRefusal(error: ApiError | null): { id: string; text: string } | null {
  const { i18n } = useLingui()
  const { problem } = error ?? {}
  if (error?.code !== 'ProposalRefused' && error?.code !== 'InvalidRequest' && error?.code !== 'ChargeNotDisclosed') return null
  const known = error.code === 'ChargeNotDisclosed' ? notDisclosedText : findRefusalText(problem?.refusal)
  const text = known ? i18n._(known) : (problem?.detail ?? '')
  if (problem?.field === 'reason') return { id: 'proposal-reason', text }
  if (!problem?.field?.startsWith(inputPrefix)) return null
  return { id: `operation-${problem.field.slice(inputPrefix.length)}`, text }
}

/** Why the server refused, and what to do. */
export function RefusalBanner({ error }: { error: ApiError }) {
  const text = useRefusalText()(error)
  return (
    <Banner tone="danger">
      {text}
      <OtherPayment error={error} />
    </Banner>
  )
}

function useRefusalText(): (error: ApiError) => string {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  return (error) => {
    const { problem } = error
    const known = findRefusalText(problem?.refusal)
    const detail = known ? i18n._(known) : (problem?.detail ?? '')
    const by = problem?.expected_by ? formatInstant(new Date(problem.expected_by), language) : null
    const until = problem?.expires_at ? formatInstant(new Date(problem.expires_at), language) : null
    switch (error.code) {
      case 'FourEyes':
        return t`Another person has to do this: nobody approves their own proposal or acts on their own loan.`
      case 'ProposalRefused':
        return t`Not possible: ${detail}`
      case 'ChargeNotDisclosed':
        return i18n._(notDisclosedText)
      case 'ProposalDecided':
        return t`This proposal is no longer open.`
      case 'LinkOpen':
        return until === null
          ? t`The borrower has an open payment link. Cancel it first, or wait until it has ended.`
          : t`The borrower has an open payment link until ${until}. Cancel it first, or wait until it has ended.`
      case 'AutopayInProgress':
        return by === null
          ? t`A debit of this loan is in progress at the bank. Try again when its outcome is known.`
          : t`A debit of this loan is in progress at the bank. Its outcome is expected by ${by}. Try again after that.`
      case 'LinkPaid':
        return t`The borrower paid the link before it could be cancelled. The payment was applied and nothing else was done. Approve again: the new figures are shown first.`
      case 'PaymentGatewayUnavailable':
        return t`The payment provider did not confirm that the link is cancelled. Nothing was changed. Try again in a few minutes.`
      case 'NotFound':
        return i18n._(notFoundText)
      default:
        return i18n._(getFailureText(error))
    }
  }
}

/** The payment that has the bank reference already. */
function OtherPayment({ error }: { error: ApiError }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const other = error.problem?.other_payment
  if (!other) return null
  const [amount, day] = [formatMoney(rupeesToPaise(other.amount)), formatDay(other.value_date as Day, language)]
  const [mode, reference] = [getModeText(i18n, other.mode), other.reference]
  return (
    <span className="mt-1 block">
      {t`The same reference: ${mode} ${reference}, ${amount} on ${day}.`}{' '}
      <TextLink to={getOperationsLoanPath(other.lan)}>{other.lan}</TextLink>
    </span>
  )
}
