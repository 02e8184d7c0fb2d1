import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import type { Collection, readAutopay } from '#contract/autopay.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import type { TrailStep as PaymentStep } from '#contract/payments.ts'
import { isLiveMandate } from '#domain/autopay.ts'
import type { Paise } from '#domain/money.ts'
import { call } from '#web/api/call.ts'
import type { Language } from '#web/i18n/language.ts'
import { isInUse } from '#web/session/activity.ts'
import type { TrailStep } from '#web/ui/trail.tsx'
import { loansKey } from './loan-queries.ts'

export type Autopay = ResponseOf<typeof readAutopay>

/** While the bank decides on a debit, its outcome is asked for while the page is used. */
const presentedRefreshMs = 10_000

/** Autopay of a loan; the language is that of the text which the borrower agrees to. */
export const autopayQuery = (loan: Loan, language: Language) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'autopay', language],
    queryFn: async ({ signal }) => {
      // Not needed for the first paint of any page.
      const contract = await import('#contract/autopay.ts')
      return call(contract.readAutopay, { query: { application_id: loan.lan, language } }, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (findPresentedDebit(state.data) !== null && isInUse() ? presentedRefreshMs : false),
  })

/** The debit whose outcome is not known: until then nothing else can be paid (409 otherwise). */
export function findPresentedDebit(autopay: Autopay | undefined): Collection | null {
  const next = autopay?.next_collection
  return next?.status === 'presented' ? next : null
}

/** Whether the borrower has autopay, or is setting it up. */
export const hasLiveMandate = ({ mandate }: Autopay): boolean => mandate !== null && isLiveMandate(mandate.status)

/** A step of a payment, or another one as the list shows it. */
export type ListedStep = PaymentStep | TrailStep

/** What the card of autopay shows with parts of the payments. */
export type AutopayCardProps = {
  loan: Loan
  /** A payment link is open. */
  hasOpenLink: boolean
  StepList: ComponentType<{ label: string; steps: readonly ListedStep[]; next?: ReactNode }>
  ReceiptButton: ComponentType<{ loan: Loan; receiptNumber: string; isNumbered: boolean }>
}

/** Offers a mandate that allows an EMI, where the current one does not. */
export type RenewMandateProps = { loan: Loan; instalment: Paise }

/** What the new rates of a loan show with a part of autopay. */
export type RateResetsProps = {
  loan: Loan
  RenewMandate: ComponentType<RenewMandateProps>
  /** Stands for all of it while it loads, so that the banner moves nothing. */
  loading: ReactNode
  /** The loan, below its new rates. */
  children: ReactNode
}
