import type { MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { OperationAct } from '#contract/staff-access.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { StaffAction, View } from './staff-acts.ts'

const viewText: Record<View, MessageDescriptor> = {
  profile_viewed: msg`your details`,
  loans_viewed: msg`your loans`,
  application_viewed: msg`your application`,
  schedule_viewed: msg`the repayment schedule`,
  payments_viewed: msg`your payments`,
  tranches_viewed: msg`your disbursals`,
  documents_viewed: msg`the list of documents`,
  staff_access_viewed: msg`this list`,
}

/** What the lender did by an operation; each act is one operation. */
const operationText: Record<OperationAct, MessageDescriptor> = {
  charge_added: msg`Added a charge`,
  charge_waived: msg`Waived a charge`,
  payment_recorded: msg`Recorded a payment`,
  payment_reversed: msg`Reversed a payment`,
  tranche_approved: msg`Approved a disbursal request`,
  tranche_rejected: msg`Rejected a disbursal request`,
  tranche_released: msg`Paid out a disbursal`,
  credit_refunded: msg`Refunded extra money`,
  credit_returned: msg`Recorded a refund by bank transfer`,
  foreclosure_waived: msg`Waived the rest of a foreclosure`,
  review_resolved: msg`Settled a question about a payment`,
  benchmark_published: msg`Published a benchmark rate`,
  rate_resets_requested: msg`Ran a reset of floating rates`,
  rate_reset_withdrawn: msg`Withdrew a rate reset`,
  paper_published: msg`Published a paper`,
}

export function useStaffActTexts(): { seen: (views: readonly View[]) => string; done: (act: StaffAction, times: number) => string } {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  return {
    seen: (views) => {
      const list = new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type: 'conjunction' }).format(
        views.map((view) => i18n._(viewText[view])),
      )
      return t`Looked at ${list}`
    },
    done: (act, times) => {
      switch (act) {
        case 'document_opened':
          return t`${plural(times, { one: 'Opened # document', other: 'Opened # documents' })}`
        case 'document_generated':
          return t`${plural(times, { one: 'Downloaded # statement or letter', other: 'Downloaded # statements or letters' })}`
        case 'document_uploaded':
          return t`${plural(times, { one: 'Uploaded # document', other: 'Uploaded # documents' })}`
        case 'tranche_requested':
          return t`${plural(times, { one: 'Requested # disbursal', other: 'Requested # disbursals' })}`
        case 'tranche_changed':
          return t`${plural(times, { one: 'Changed # disbursal request', other: 'Changed # disbursal requests' })}`
        case 'rate_reset_chosen':
          return t`${plural(times, { one: 'Chose # option for a new rate', other: 'Chose # options for new rates' })}`
        case 'payment_link_created':
          return t`${plural(times, { one: 'Created # payment link', other: 'Created # payment links' })}`
        case 'payment_link_cancelled':
          return t`${plural(times, { one: 'Cancelled # payment link', other: 'Cancelled # payment links' })}`
        default:
          return i18n._(operationText[act])
      }
    },
  }
}
