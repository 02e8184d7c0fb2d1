import type { ComponentType, ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { Paise } from '#domain/money.ts'

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
