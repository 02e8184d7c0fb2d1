/** The whole API on one screen: every call, by the name its use case bears. */
export { login, logout, readPermissions, verify } from './auth.ts'
export { explainFigure } from './explanations.ts'
export { readLoansSummary, readRepaymentSchedule } from './loans.ts'
export { previewPartPayment } from './part-payments.ts'
export { cancelPaymentLink, createPaymentLink, readCompletedPayments, readOngoingPayment, readPaymentLinkStatus } from './payments.ts'
export { assume, endAssume, endOtherSessions, listSessions, listUsers, readStaffAccess, readUser } from './staff.ts'
