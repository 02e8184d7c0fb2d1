/** Every call of the API, named as its use case. */
export { readOngoingApplication } from './applications.ts'
export {
  cancelMandate,
  createMandate,
  pauseMandate,
  readAutopay,
  readCollections,
  readMandate,
  resumeMandate,
  retryCollection,
  sendMandateCancelCode,
  skipCollection,
} from './autopay.ts'
export { login, logout, readCodeStatus, readPermissions, verify } from './auth.ts'
export { generateDocument, openDocument, openGeneratedDocument, readDocuments, uploadDocument, verifyDocument } from './documents.ts'
export { explainFigure } from './explanations.ts'
export { readLoansSummary, readRepaymentSchedule } from './loans.ts'
export { changeNoticePreferences, markNoticesRead, readNoticePreferences, readNotices } from './notices.ts'
export {
  approveProposal,
  countOperations,
  findOperationsLoans,
  previewOperation,
  proposeOperation,
  readOperationsLoan,
  readOperationsQueue,
  readOperationsReviews,
  readProposal,
  rejectProposal,
  withdrawProposal,
} from './operations.ts'
export { previewPartPayment } from './part-payments.ts'
export {
  cancelPaymentLink,
  createPaymentLink,
  readCompletedPayments,
  readOngoingPayment,
  readPaymentLinkStatus,
  readPaymentTrail,
} from './payments.ts'
export { openLoanPaper, openOperationsPaper, readLoanPapers, uploadLoanPaper } from './loan-papers.ts'
export { chooseRateReset, readRateResets } from './rate-resets.ts'
export { readStaffAccess } from './staff-access.ts'
export { endOtherSessions, listSessions } from './sessions.ts'
export { listUsers } from './staff.ts'
export { assume, endAssume, readUser } from './users.ts'
export { changeTranche, previewTranche, readTranches, requestTranche } from './tranches.ts'
