import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Notice } from '#contract/notices.ts'
import { recordedTwice, returnedUncaptured } from '#domain/notices.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { readReason } from '#web/session/access-reason.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { AutopayNoticeText } from './autopay-notice-text.tsx'

type NoticeTextProps = Pick<Notice, 'kind' | 'amount' | 'date' | 'subject'>

/** The sentence of a notice; a shorter one if a part of it is missing. */
export function NoticeText({ kind, amount: sum, date, subject }: NoticeTextProps): ReactNode {
  const { t } = useLingui()
  const language = useLanguage()
  const amount = sum && formatMoney(sum)
  const day = date && formatDay(date, language)
  const reason = subject && readReason(subject).text
  switch (kind) {
    case 'payment_applied':
      return amount === null ? t`A payment was received.` : t`A payment of ${amount} was received.`
    case 'foreclosure_short':
      return amount === null || day === null
        ? t`Your payment did not close the loan: an amount is still due.`
        : t`Your payment did not close the loan: ${amount} was still due on ${day}.`
    case 'refund_asked':
      return amount === null ? t`A refund is on its way to you.` : t`A refund of ${amount} is on its way to you.`
    case 'refund_processed':
      if (amount === null) return t`A refund has been sent.`
      return subject === null ? t`A refund of ${amount} has been sent.` : t`A refund of ${amount} has been sent, bank reference ${subject}.`
    case 'refund_failed':
      return amount === null
        ? t`A refund could not be sent yet; we are looking into it.`
        : t`A refund of ${amount} could not be sent yet; we are looking into it.`
    case 'charge_added':
      return amount === null
        ? t`A charge was added to your loan. Open it to see what it is for.`
        : t`A charge of ${amount} was added to your loan. Open it to see what it is for.`
    case 'late_charge':
      return amount === null || day === null
        ? t`An instalment was not paid in time. A late charge was added.`
        : t`The instalment due on ${day} was not paid in time. A late charge of ${amount} was added.`
    case 'charge_waived':
      return amount === null ? t`A charge was waived.` : t`${amount} of charges was waived.`
    case 'foreclosure_waived':
      return amount === null
        ? t`The rest of your loan was waived, and the loan is closed.`
        : t`The rest of your loan, ${amount}, was waived, and the loan is closed.`
    case 'loan_closed':
      return t`Your loan is closed. Download the closure certificate under Documents.`
    case 'payment_reversed':
      if (subject === recordedTwice && amount !== null)
        return t`A payment of ${amount} was recorded twice. It now counts once: the one that the payment provider reported.`
      if (subject === returnedUncaptured && amount !== null)
        return t`A payment of ${amount} was approved too late. The amount goes back to where it came from. Check what is due now.`
      return amount === null
        ? t`A payment was reversed and no longer counts for your loan. Check what is due now.`
        : t`A payment of ${amount} was reversed and no longer counts for your loan. Check what is due now.`
    case 'due_soon':
      if (day === null) return t`An instalment falls due soon.`
      return amount === null ? t`An instalment falls due on ${day}.` : t`${amount} falls due on ${day}.`
    case 'autopay_announced':
    case 'autopay_debited':
    case 'autopay_failed':
    case 'autopay_skipped':
    case 'autopay_cap_too_low':
    case 'autopay_ended':
      return <AutopayNoticeText kind={kind} amount={sum} date={date} subject={subject} />
    case 'tranche_approved':
      return amount === null || day === null ? t`Your lender approved a disbursal.` : t`Your lender approved ${amount} for ${day}.`
    case 'tranche_released':
      return amount === null ? t`A disbursal has been paid out.` : t`${amount} has been paid out.`
    case 'tranche_rejected':
      return amount === null
        ? t`Your lender rejected a request. Ask customer support why.`
        : t`Your lender rejected the request for ${amount}. Ask customer support why.`
    case 'rate_reset_notified':
      if (day === null) return t`Your interest rate will change. Choose what happens to your EMI.`
      return subject === null
        ? t`Your interest rate changes on ${day}. Choose before that day what happens to your EMI.`
        : t`Your interest rate changes on ${day}: ${subject}. Choose before that day what happens to your EMI.`
    case 'rate_reset_chosen':
      return amount === null
        ? t`A choice for your new interest rate was made.`
        : t`The EMI of ${amount} was chosen for your new interest rate.`
    case 'rate_reset_defaulted':
      return amount === null || day === null
        ? t`Your new interest rate is set.`
        : t`Your new interest rate counts from ${day}, with an EMI of ${amount}.`
    case 'rate_reset_recomputed':
      return amount === null
        ? t`Your loan has changed, so the effect of your new interest rate has changed too.`
        : t`Your loan has changed. Under your new interest rate the EMI is ${amount}; your loan page shows the last EMI.`
    case 'rate_reset_withdrawn':
      return day === null ? t`Your interest rate does not change after all.` : t`Your interest rate does not change on ${day} after all.`
    case 'emi_start':
      if (day === null) return t`Your EMIs begin soon.`
      return amount === null ? t`Your EMIs begin on ${day}.` : t`Your EMIs begin on ${day}: the first is ${amount}.`
    case 'paper_published':
      return t`Your lender added a paper to your loan.`
    case 'document_added':
      return subject === null ? t`A document was added.` : t`${subject} was added to your documents.`
    case 'staff_assumed':
      return reason === null ? t`Your lender’s staff opened your account.` : t`Your lender’s staff opened your account: ${reason}`
    case 'new_device':
      return t`Somebody signed in to your account on a new device. If it was not you, sign out of other devices.`
    case 'sessions_ended':
      return t`Other devices were signed out of your account. If it was not you, contact customer support.`
  }
}
