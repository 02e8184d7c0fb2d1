import { useLingui } from '@lingui/react/macro'
import type { Notice } from '#contract/notices.ts'
import { parseDay } from '#domain/calendar.ts'
import type { FailureSubject, MandateEndReason, SkipReason } from '#domain/autopay.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'

type AutopayNoticeTextProps = Pick<Notice, 'kind' | 'amount' | 'date' | 'subject'>

/**
 * The sentence of a notice about autopay. `subject` is the reason of a skip, failure or end; of an
 * announced debit that pays older instalments alone, the due date of the latest of them.
 */
export function AutopayNoticeText({ kind, amount: sum, date, subject }: AutopayNoticeTextProps): string {
  const { t } = useLingui()
  const language = useLanguage()
  const reasons = useReasons()
  const amount = sum === null ? '' : formatMoney(sum)
  const day = date === null ? '' : formatDay(date, language)
  const olderDay = subject === null ? null : parseDay(subject)
  switch (kind) {
    case 'autopay_announced':
      if (olderDay !== null) {
        const older = formatDay(olderDay, language)
        return t`${amount}, due by ${older}, will be debited by autopay on ${day}. You can skip it until an hour before.`
      }
      return t`${amount} will be debited by autopay on ${day}. You can skip it until an hour before.`
    case 'autopay_debited':
      return t`${amount} was debited by autopay.`
    case 'autopay_failed':
      return `${t`The autopay debit of ${amount} on ${day} did not go through.`} ${reasons.ofFailure(subject)}`.trim()
    case 'autopay_skipped':
      return `${t`${amount} will not be debited by autopay on ${day}.`} ${reasons.ofSkip(subject)}`.trim()
    case 'autopay_cap_too_low':
      return t`${amount}, due on ${day}, is above your autopay limit. Pay it in the portal, and set up autopay with a higher limit.`
    default:
      if (subject === 'rejected') return t`Your bank did not accept the request for autopay. Nothing will be debited: pay in the portal.`
      return `${t`Autopay has ended: nothing more will be debited, except what your bank is carrying out already.`} ${reasons.ofEnd(subject)}`.trim()
  }
}

/** Reasons in plain words; empty for one that needs none. */
function useReasons() {
  const { t } = useLingui()
  const skips: Partial<Record<SkipReason, string>> = {
    paid: t`You have paid already.`,
    borrower: t`It was skipped in the portal.`,
    amount_changed: t`What is due has changed; the new amount is announced.`,
    superseded: t`It is part of the next debit.`,
    closed: t`The loan is closed.`,
    mandate: t`Autopay is paused or has ended, or the debit could not be carried out. Pay the instalment in the portal.`,
    link_open: t`A payment was in progress. Pay the instalment in the portal.`,
  }
  const failures: Record<FailureSubject, string> = {
    funds: t`The account had too little money. Pay in the portal, or choose a day for another debit.`,
    funds_last: t`The account had too little money. Pay in the portal.`,
    technical: t`The bank had a technical problem; we will try once more and tell you when.`,
    technical_last: t`The bank had a technical problem. Pay in the portal.`,
    ask_borrower: t`Your bank or app refused it. Check the limit and the status of autopay there, and pay in the portal.`,
    mandate_ended: t`Your bank has ended autopay. Pay in the portal, and set it up again.`,
    mandate_cancelled: t`You had ended autopay. Pay in the portal.`,
    mandate_over: t`Pay in the portal, and set up autopay again.`,
    paid: t`Nothing is left to pay for it.`,
    not_presented: t`The request did not reach your bank; we will try once more and tell you when.`,
    not_presented_last: t`The request did not reach your bank. Pay in the portal.`,
    not_captured: t`Your bank approved it too late. The amount goes back to your account. Pay in the portal.`,
    review: t`We are looking into it. Pay in the portal.`,
  }
  const pay = t`Pay your EMIs in the portal.`
  const ends: Partial<Record<MandateEndReason, string>> = {
    borrower: pay,
    app: `${t`It was cancelled in the UPI app or at the bank.`} ${pay}`,
    bank: `${t`Your bank has ended it.`} ${pay}`,
    expired: `${t`Your permission for autopay ends before the next debit.`} ${pay}`,
    loan_closed: t`The loan is closed.`,
  }
  const pick = (texts: Readonly<Record<string, string>>) => (reason: string | null) => (reason === null ? '' : (texts[reason] ?? ''))
  return { ofSkip: pick(skips), ofFailure: pick(failures), ofEnd: pick(ends) }
}
