import { useLingui } from '@lingui/react/macro'
import type { Notice } from '#contract/notices.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'

/** The sentence of a notice; a shorter one where a part of it is not told. */
export function useNoticeText(): (notice: Notice) => string {
  const { t } = useLingui()
  const language = useLanguage()
  return ({ kind, amount: sum, date, subject }) => {
    const amount = sum && formatMoney(sum)
    const day = date && formatDay(date, language)
    switch (kind) {
      case 'payment_applied':
        return amount === null ? t`A payment was received.` : t`A payment of ${amount} was received.`
      case 'foreclosure_short':
        return amount === null || day === null
          ? t`Your payment did not close the loan: some is still to pay.`
          : t`Your payment did not close the loan: ${amount} was still to pay on ${day}.`
      case 'refund_asked':
        return amount === null ? t`A refund is on its way to you.` : t`A refund of ${amount} is on its way to you.`
      case 'refund_processed':
        if (amount === null) return t`A refund has been sent.`
        return subject === null
          ? t`A refund of ${amount} has been sent.`
          : t`A refund of ${amount} has been sent, bank reference ${subject}.`
      case 'due_soon':
        if (day === null) return t`An instalment falls due soon.`
        return amount === null ? t`An instalment falls due on ${day}.` : t`${amount} falls due on ${day}.`
      case 'tranche_approved':
        return amount === null || day === null ? t`Your lender approved a disbursal.` : t`Your lender approved ${amount} for ${day}.`
      case 'tranche_released':
        return amount === null ? t`A disbursal has been paid out.` : t`${amount} has been paid out.`
      case 'tranche_rejected':
        return amount === null ? t`Your lender rejected a request.` : t`Your lender rejected the request for ${amount}.`
      case 'document_added':
        return subject === null ? t`A document was added.` : t`${subject} was added to your documents.`
    }
  }
}
