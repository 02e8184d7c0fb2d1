/** The whole API on one screen: every call, by the name its use case bears. */
export { login, logout, readPermissions, verify } from './auth.ts'
export { readLoansSummary, readRepaymentSchedule } from './loans.ts'
export { cancelPaymentLink, createPaymentLink, readCompletedPayments, readOngoingPayment, readPaymentLinkStatus } from './payments.ts'
