import type * as contract from './index.ts'
import type { StaffAct } from './staff.ts'

/**
 * Who may make which call, and on whose behalf: the one table the router asks. A call without a row does not compile,
 * nor does a row that asks for another permission than its call says; whatever is not allowed here is refused.
 */
export type AccessRow<Access> = {
  /** Anyone, a living session, or a session that holds this permission. */
  needs: Access
  /**
   * Whose things the call reaches. `nobody`: none. `self`: those of the person signed in. `borrower`: those of the borrower
   * signed in or acted for; staff who act for nobody find nothing. `staff`: the role tech/assume, looked up at each call,
   * whoever they act for.
   */
  whose: 'nobody' | 'self' | 'borrower' | 'staff'
  /** Every identifier in the request, and what it names: another's and none at all answer alike (decision 10). */
  names: Readonly<Record<string, Named>>
  /** Staff who act for nobody get an empty answer instead of none (decision 32). */
  emptyForNobody?: true
  /** Refused while staff act as a borrower. */
  notWhileAssuming?: true
  /** The call itself writes the entry of the access log, because only it knows whose the entry is. */
  writesEntry?: true
  /** What the borrower is told when staff make the call for them; null when there is nothing to tell. */
  act: StaffAct | null
}

export type Named = 'loan' | 'payment_link' | 'document' | 'receipt' | 'tranche' | 'user'

type AccessTable = { readonly [Name in keyof typeof contract]: AccessRow<(typeof contract)[Name]['access']> }

export const accessTable: AccessTable = {
  login: { needs: 'public', whose: 'nobody', names: {}, act: null },
  verify: { needs: 'public', whose: 'nobody', names: {}, act: null },
  logout: { needs: 'session', whose: 'self', names: {}, act: null },
  readPermissions: { needs: 'session', whose: 'self', names: {}, act: null },
  listSessions: { needs: 'session', whose: 'self', names: {}, notWhileAssuming: true, act: null },
  endOtherSessions: { needs: 'session', whose: 'self', names: {}, notWhileAssuming: true, act: null },

  listUsers: { needs: 'session', whose: 'staff', names: {}, act: null },
  readUser: { needs: 'session', whose: 'self', names: { user_id: 'user' }, writesEntry: true, act: 'profile_viewed' },
  assume: { needs: 'user:assume', whose: 'staff', names: { user_id_to_assume: 'user' }, act: null },
  endAssume: { needs: 'session', whose: 'staff', names: {}, act: null },
  readStaffAccess: { needs: 'session', whose: 'borrower', names: {}, act: 'staff_access_viewed' },

  readLoansSummary: { needs: 'session', whose: 'borrower', names: {}, emptyForNobody: true, act: 'loans_viewed' },
  readRepaymentSchedule: { needs: 'session', whose: 'borrower', names: { lead_id: 'loan' }, act: 'schedule_viewed' },
  readOngoingApplication: { needs: 'session', whose: 'borrower', names: {}, act: 'application_viewed' },
  explainFigure: { needs: 'session', whose: 'borrower', names: { lan: 'loan' }, act: 'schedule_viewed' },
  previewPartPayment: { needs: 'session', whose: 'borrower', names: { lan: 'loan' }, act: 'schedule_viewed' },

  createPaymentLink: {
    needs: 'payment_link:create',
    whose: 'borrower',
    names: { lead_id: 'loan', application_id: 'loan' },
    act: 'payment_link_created',
  },
  readOngoingPayment: { needs: 'session', whose: 'borrower', names: { application_id: 'loan' }, act: 'payments_viewed' },
  readCompletedPayments: { needs: 'session', whose: 'borrower', names: { application_id: 'loan' }, act: 'payments_viewed' },
  readPaymentLinkStatus: { needs: 'session', whose: 'borrower', names: { payment_link_id: 'payment_link' }, act: 'payments_viewed' },
  readPaymentTrail: { needs: 'session', whose: 'borrower', names: { payment_link_id: 'payment_link' }, act: 'payments_viewed' },
  cancelPaymentLink: {
    needs: 'payment_link:update',
    whose: 'borrower',
    names: { payment_link_id: 'payment_link' },
    act: 'payment_link_cancelled',
  },

  readTranches: { needs: 'session', whose: 'borrower', names: { lan: 'loan' }, act: 'tranches_viewed' },
  previewTranche: { needs: 'session', whose: 'borrower', names: { lan: 'loan' }, act: 'tranches_viewed' },
  requestTranche: { needs: 'loan:update', whose: 'borrower', names: { lead_id: 'loan', lan: 'loan' }, act: 'tranche_requested' },
  changeTranche: {
    needs: 'loan:update',
    whose: 'borrower',
    names: { lan: 'loan', partner_tranche_id: 'tranche' },
    act: 'tranche_changed',
  },

  readDocuments: { needs: 'session', whose: 'borrower', names: { lead_id: 'loan' }, act: 'documents_viewed' },
  uploadDocument: {
    needs: 'document:create',
    whose: 'borrower',
    names: { lead_id: 'loan', lan: 'loan', partner_loan_id: 'loan' },
    act: 'document_uploaded',
  },
  // Opening and writing a document are told by a line of their own, which says which one, whoever does it.
  openDocument: { needs: 'document:read', whose: 'borrower', names: { document_id: 'document' }, act: null },
  generateDocument: { needs: 'document:read', whose: 'borrower', names: { lead_id: 'loan', receipt_number: 'receipt' }, act: null },
  openGeneratedDocument: { needs: 'public', whose: 'nobody', names: {}, act: null },
  verifyDocument: { needs: 'public', whose: 'nobody', names: {}, act: null },

  readNotices: { needs: 'session', whose: 'borrower', names: {}, act: null },
  markNoticesRead: { needs: 'session', whose: 'borrower', names: {}, act: null },
  readNoticePreferences: { needs: 'session', whose: 'borrower', names: {}, act: null },
  changeNoticePreferences: { needs: 'session', whose: 'borrower', names: {}, notWhileAssuming: true, act: null },
}
