import type * as contract from './index.ts'
import type { Permission } from './permissions.ts'
import type { StaffAct } from './staff-access.ts'

/**
 * Which session may make which call, whose data the call reaches, and which limits hold. The router
 * reads this table only. A call without a row does not compile, nor does a row whose permission
 * differs from its call. Everything else is refused.
 */
export type AccessRow<Access> = {
  /** Anyone, any active session, or a session with this permission. */
  needs: Access
  /**
   * Whose data the call reaches. `nobody`: none. `self`: the signed-in person's. `borrower`: that
   * of the signed-in or assumed borrower; staff who assume nobody find nothing. `staff`: all, for
   * the role tech/assume, which is checked at every call.
   */
  scope: 'nobody' | 'self' | 'borrower' | 'staff'
  /**
   * Every identifier in the request, and its kind. An unknown identifier and another person's give
   * the same answer (decision 10).
   */
  identifiers: Readonly<Record<string, IdentifierKind>>
  /** Staff who assume nobody get an empty answer instead of a refusal (decision 32). */
  isEmptyForNobody?: true
  /** Refused while staff act as a borrower. */
  isRefusedWhileAssuming?: true
  /** The call writes its own access log entry, because only it knows the subject of the entry. */
  writesAccessLogEntry?: true
  /**
   * A busy server refuses `bulky` calls first: files and long computations. `critical` calls, which
   * sign people in and out and follow payments, it refuses last.
   */
  load?: 'critical' | 'bulky'
  /**
   * Each success leaves a row, mostly an entry of the access log, which nobody can delete: the pace
   * of such calls is limited, as is that of every call with the scope `staff`.
   */
  isRecorded?: true
  /** The act shown to the borrower if staff make the call for them. Null: nothing is shown. */
  staffAct: StaffAct | null
}

export type IdentifierKind =
  | 'loan'
  | 'payment_link'
  | 'document'
  | 'receipt'
  | 'tranche'
  | 'rate_reset'
  | 'loan_paper'
  | 'user'
  | 'proposal'
  | 'mandate'
  | 'collection'

type AccessTable = { readonly [Name in keyof typeof contract]: AccessRow<(typeof contract)[Name]['access']> }

/** The row of a call of staff who act as themselves. */
const operations = <Needs extends Permission>(needs: Needs, identifiers: AccessRow<Needs>['identifiers']) =>
  ({ needs, scope: 'staff', identifiers, isRefusedWhileAssuming: true, staffAct: null }) as const satisfies AccessRow<Needs>

/** The row of a call by which borrowers themselves, and nobody for them, change their autopay. */
const autopay = <Needs extends Permission>(needs: Needs, identifiers: AccessRow<Needs>['identifiers']) =>
  ({
    needs,
    scope: 'borrower',
    identifiers,
    isRefusedWhileAssuming: true,
    isRecorded: true,
    staffAct: null,
  }) as const satisfies AccessRow<Needs>

export const accessTable: AccessTable = {
  login: { needs: 'public', scope: 'nobody', identifiers: {}, load: 'critical', staffAct: null },
  verify: { needs: 'public', scope: 'nobody', identifiers: {}, load: 'critical', staffAct: null },
  readCodeStatus: { needs: 'public', scope: 'nobody', identifiers: {}, staffAct: null },
  logout: { needs: 'session', scope: 'self', identifiers: {}, load: 'critical', staffAct: null },
  readPermissions: { needs: 'session', scope: 'self', identifiers: {}, staffAct: null },
  listSessions: { needs: 'session', scope: 'self', identifiers: {}, isRefusedWhileAssuming: true, staffAct: null },
  endOtherSessions: { needs: 'session', scope: 'self', identifiers: {}, isRefusedWhileAssuming: true, staffAct: null },

  listUsers: { needs: 'session', scope: 'staff', identifiers: {}, load: 'bulky', staffAct: null },
  readUser: {
    needs: 'session',
    scope: 'self',
    identifiers: { user_id: 'user' },
    writesAccessLogEntry: true,
    isRecorded: true,
    staffAct: 'profile_viewed',
  },
  assume: { needs: 'user:assume', scope: 'staff', identifiers: { user_id_to_assume: 'user' }, staffAct: null },
  endAssume: { needs: 'session', scope: 'staff', identifiers: {}, staffAct: null },
  readStaffAccess: { needs: 'session', scope: 'borrower', identifiers: {}, staffAct: 'staff_access_viewed' },

  readLoansSummary: { needs: 'session', scope: 'borrower', identifiers: {}, isEmptyForNobody: true, staffAct: 'loans_viewed' },
  readRepaymentSchedule: { needs: 'session', scope: 'borrower', identifiers: { lead_id: 'loan' }, staffAct: 'schedule_viewed' },
  readOngoingApplication: { needs: 'session', scope: 'borrower', identifiers: {}, staffAct: 'application_viewed' },
  explainFigure: { needs: 'session', scope: 'borrower', identifiers: { lan: 'loan' }, load: 'bulky', staffAct: 'schedule_viewed' },
  previewPartPayment: { needs: 'session', scope: 'borrower', identifiers: { lan: 'loan' }, load: 'bulky', staffAct: 'schedule_viewed' },

  createPaymentLink: {
    needs: 'payment_link:create',
    scope: 'borrower',
    identifiers: { lead_id: 'loan', application_id: 'loan' },
    isRecorded: true,
    staffAct: 'payment_link_created',
  },
  readOngoingPayment: { needs: 'session', scope: 'borrower', identifiers: { application_id: 'loan' }, staffAct: 'payments_viewed' },
  readCompletedPayments: { needs: 'session', scope: 'borrower', identifiers: { application_id: 'loan' }, staffAct: 'payments_viewed' },
  readPaymentLinkStatus: {
    needs: 'session',
    scope: 'borrower',
    identifiers: { payment_link_id: 'payment_link' },
    load: 'critical',
    staffAct: 'payments_viewed',
  },
  readPaymentTrail: { needs: 'session', scope: 'borrower', identifiers: { payment_link_id: 'payment_link' }, staffAct: 'payments_viewed' },
  cancelPaymentLink: {
    needs: 'payment_link:update',
    scope: 'borrower',
    identifiers: { payment_link_id: 'payment_link' },
    load: 'critical',
    staffAct: 'payment_link_cancelled',
  },

  readAutopay: { needs: 'session', scope: 'borrower', identifiers: { application_id: 'loan' }, staffAct: 'payments_viewed' },
  createMandate: autopay('mandate:create', { application_id: 'loan' }),
  readMandate: { needs: 'session', scope: 'borrower', identifiers: { id: 'mandate' }, staffAct: 'payments_viewed' },
  sendMandateCancelCode: autopay('mandate:update', { id: 'mandate' }),
  pauseMandate: autopay('mandate:update', { id: 'mandate' }),
  resumeMandate: autopay('mandate:update', { id: 'mandate' }),
  cancelMandate: autopay('mandate:update', { id: 'mandate' }),
  readCollections: { needs: 'session', scope: 'borrower', identifiers: { application_id: 'loan' }, staffAct: 'payments_viewed' },
  skipCollection: autopay('mandate:update', { id: 'collection' }),
  retryCollection: autopay('mandate:update', { id: 'collection' }),

  readTranches: { needs: 'session', scope: 'borrower', identifiers: { lan: 'loan' }, staffAct: 'tranches_viewed' },
  previewTranche: { needs: 'session', scope: 'borrower', identifiers: { lan: 'loan' }, load: 'bulky', staffAct: 'tranches_viewed' },
  requestTranche: {
    needs: 'loan:update',
    scope: 'borrower',
    identifiers: { lead_id: 'loan', lan: 'loan' },
    isRecorded: true,
    staffAct: 'tranche_requested',
  },
  changeTranche: {
    needs: 'loan:update',
    scope: 'borrower',
    identifiers: { lan: 'loan', partner_tranche_id: 'tranche' },
    isRecorded: true,
    staffAct: 'tranche_changed',
  },

  readRateResets: { needs: 'session', scope: 'borrower', identifiers: { application_id: 'loan' }, staffAct: 'schedule_viewed' },
  // A choice writes its own entry, with the loan's change.
  chooseRateReset: {
    needs: 'loan:update',
    scope: 'borrower',
    identifiers: { id: 'rate_reset' },
    isRecorded: true,
    staffAct: 'rate_reset_chosen',
  },

  readDocuments: { needs: 'session', scope: 'borrower', identifiers: { lead_id: 'loan' }, staffAct: 'documents_viewed' },
  uploadDocument: {
    needs: 'document:create',
    scope: 'borrower',
    identifiers: { lead_id: 'loan', lan: 'loan', partner_loan_id: 'loan' },
    load: 'bulky',
    staffAct: 'document_uploaded',
  },
  readLoanPapers: { needs: 'session', scope: 'borrower', identifiers: { application_id: 'loan' }, staffAct: 'documents_viewed' },
  openLoanPaper: {
    needs: 'document:read',
    scope: 'borrower',
    identifiers: { id: 'loan_paper' },
    load: 'bulky',
    isRecorded: true,
    staffAct: null,
  },
  // Opening and generating a document write their own entry, which names the document.
  openDocument: {
    needs: 'document:read',
    scope: 'borrower',
    identifiers: { document_id: 'document' },
    load: 'bulky',
    isRecorded: true,
    staffAct: null,
  },
  generateDocument: {
    needs: 'document:read',
    scope: 'borrower',
    identifiers: { lead_id: 'loan', receipt_number: 'receipt' },
    load: 'bulky',
    staffAct: null,
  },
  openGeneratedDocument: { needs: 'public', scope: 'nobody', identifiers: {}, load: 'bulky', isRecorded: true, staffAct: null },
  verifyDocument: { needs: 'public', scope: 'nobody', identifiers: {}, staffAct: null },

  // Acting for a borrower takes every permission of operations away; these rows refuse it by name.
  countOperations: operations('operations:read', {}),
  readOperationsQueue: operations('operations:read', {}),
  findOperationsLoans: { ...operations('operations:read', {}), load: 'bulky' },
  readOperationsLoan: { ...operations('operations:read', { lan: 'loan' }), writesAccessLogEntry: true, staffAct: 'profile_viewed' },
  readOperationsReviews: operations('operations:read', {}),
  readProposal: operations('operations:read', { id: 'proposal' }),
  previewOperation: operations('operations:propose', { lan: 'loan' }),
  proposeOperation: operations('operations:propose', { lan: 'loan' }),
  approveProposal: operations('operations:approve', { id: 'proposal' }),
  rejectProposal: operations('operations:approve', { id: 'proposal' }),
  withdrawProposal: operations('operations:propose', { id: 'proposal' }),

  uploadLoanPaper: { ...operations('operations:propose', { lan: 'loan' }), load: 'bulky' },
  openOperationsPaper: {
    ...operations('operations:read', { id: 'loan_paper' }),
    load: 'bulky',
    writesAccessLogEntry: true,
    staffAct: 'profile_viewed',
  },

  readNotices: { needs: 'session', scope: 'borrower', identifiers: {}, staffAct: null },
  markNoticesRead: { needs: 'session', scope: 'borrower', identifiers: {}, staffAct: null },
  readNoticePreferences: { needs: 'session', scope: 'borrower', identifiers: {}, isRefusedWhileAssuming: true, staffAct: null },
  changeNoticePreferences: { needs: 'session', scope: 'borrower', identifiers: {}, isRefusedWhileAssuming: true, staffAct: null },
}
