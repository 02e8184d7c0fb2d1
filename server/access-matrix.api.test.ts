import { generateKeyPairSync } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { accessTable, type IdentifierKind } from '#contract/access.ts'
import { apiPrefix, type Endpoint } from '#contract/endpoint.ts'
import * as contract from '#contract/index.ts'
import { assumeRole, borrowerPermissions, type Permission } from '#contract/permissions.ts'
import { addDays, addMonths, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addLoan, addPerson, type AddedLoan, type Person } from '#testkit/builders.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { noFurtherCheck } from './jobs/back-off.ts'
import { addMandate, changeMandateRow, readMandateRow } from './autopay/mandate-store.ts'
import { insertCollection } from './autopay/plan-collection.ts'
import { insertSession, revokeSessions } from './auth/session-store.ts'
import { signToken } from './auth/token.ts'
import { pdf } from './documents/files.testing.ts'
import { readReceiptNumber } from './ledger/receipt-store.ts'
import { recordPayment } from './loan-changes/record-payment.ts'
import { lockOwnLoan } from './loans/own-loan.ts'
import { insertResets } from './rate-resets/reset-store.ts'

/** Checks every call for every kind of caller and identifier against contract/access.ts. */

type CallName = keyof typeof contract
const names = Object.keys(contract) as CallName[]

// The sample input of each call, without its identifiers. A new call without one does not compile.

type Ids = Record<IdentifierKind, string>
type Sample = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  form?: Record<string, string>
}
const addedCharge = { kind: 'charge_add', input: { charge_type: 'BOUNCE_CHARGE', amount: 590 } }
const callback_url = 'http://localhost:3000/payments/waiting-for-payment'
const samples: Record<CallName, (ids: Ids) => Sample> = {
  login: () => ({ body: { phone: '7000000000' } }),
  verify: () => ({ body: { session_token: 'x', otp: '123456' } }),
  readCodeStatus: () => ({ query: { session_token: 'x' } }),
  logout: () => ({}),
  readPermissions: () => ({}),
  listSessions: () => ({}),
  endOtherSessions: () => ({}),
  listUsers: () => ({ query: { search: 'matrix' } }),
  readUser: ({ user }) => ({ params: { user_id: user } }),
  assume: ({ user }) => ({ body: { user_id_to_assume: user, reason: 'matrix' } }),
  endAssume: () => ({}),
  readStaffAccess: () => ({}),
  readLoansSummary: () => ({}),
  readRepaymentSchedule: ({ loan }) => ({ query: { lead_id: loan } }),
  readOngoingApplication: () => ({}),
  explainFigure: ({ loan }) => ({ query: { lan: loan, what: 'dues' } }),
  previewPartPayment: ({ loan }) => ({ query: { lan: loan, amount: '20000' } }),
  // An amount that is never offered, so that the call changes nothing.
  createPaymentLink: ({ loan }) => ({ body: { amount: 1.01, lead_id: loan, application_id: loan, purpose: 'PAY_EMI', callback_url } }),
  readOngoingPayment: ({ loan }) => ({ query: { application_id: loan } }),
  readCompletedPayments: ({ loan }) => ({ query: { application_id: loan } }),
  readPaymentLinkStatus: ({ payment_link }) => ({ query: { payment_link_id: payment_link } }),
  readPaymentTrail: ({ payment_link }) => ({ params: { payment_link_id: payment_link } }),
  cancelPaymentLink: ({ payment_link }) => ({ query: { payment_link_id: payment_link } }),
  readAutopay: ({ loan }) => ({ query: { application_id: loan } }),
  // The loan has a mandate; codes and days cannot be: only pauses and skips change something.
  createMandate: ({ loan }) => ({ body: { application_id: loan, method: 'upi', consent_version: 'x' } }),
  readMandate: ({ mandate }) => ({ params: { id: mandate } }),
  sendMandateCancelCode: ({ mandate }) => ({ params: { id: mandate } }),
  pauseMandate: ({ mandate }) => ({ params: { id: mandate } }),
  resumeMandate: ({ mandate }) => ({ params: { id: mandate } }),
  cancelMandate: ({ mandate }) => ({ params: { id: mandate }, body: { session_token: 'x', otp: '123456' } }),
  readCollections: ({ loan }) => ({ query: { application_id: loan } }),
  skipCollection: ({ collection }) => ({ params: { id: collection } }),
  retryCollection: ({ collection }) => ({ params: { id: collection }, body: { date: '2020-01-01' } }),
  readTranches: ({ loan }) => ({ query: { lan: loan } }),
  previewTranche: ({ loan }) => ({ query: { lan: loan, amount: '10000', date: soon() } }),
  requestTranche: ({ loan }) => ({ body: { lead_id: loan, lan: loan, amount: 999_999_999, date: soon() } }),
  changeTranche: ({ loan, tranche }) => ({ body: { lan: loan, partner_tranche_id: tranche, amount: 999_999_999 } }),
  readRateResets: ({ loan }) => ({ query: { application_id: loan } }),
  // A preview that nobody saw, so that the call changes nothing.
  chooseRateReset: ({ rate_reset }) => ({ params: { id: rate_reset }, body: { option: 'keep_emi', preview_hash: 'x' } }),
  readDocuments: ({ loan }) => ({ query: { lead_id: loan } }),
  uploadDocument: ({ loan }) => ({ form: { document_type: 'Others', lead_id: loan, partner_loan_id: loan, lan: loan } }),
  openDocument: ({ document }) => ({ params: { document_id: document } }),
  generateDocument: ({ loan, receipt }) => ({ query: { lead_id: loan, doc_type: 'payment_receipt', receipt_number: receipt } }),
  openGeneratedDocument: () => ({ query: { ticket: 'x' } }),
  verifyDocument: () => ({ query: { code: '0000000000000000' } }),
  countOperations: () => ({}),
  readLoanPapers: ({ loan }) => ({ query: { application_id: loan } }),
  openLoanPaper: ({ loan_paper }) => ({ params: { id: loan_paper } }),
  uploadLoanPaper: ({ loan }) => ({ form: { lan: loan, paper: 'kfs' } }),
  openOperationsPaper: ({ loan_paper }) => ({ params: { id: loan_paper } }),
  readOperationsQueue: () => ({}),
  findOperationsLoans: () => ({ query: { search: 'matrix' } }),
  readOperationsLoan: ({ loan }) => ({ params: { lan: loan } }),
  readOperationsReviews: () => ({}),
  readProposal: ({ proposal }) => ({ params: { id: proposal } }),
  previewOperation: ({ loan }) => ({ body: { ...addedCharge, lan: loan } }),
  // A preview that nobody saw and reasons that are too short, so that the calls change nothing.
  proposeOperation: ({ loan }) => ({ body: { ...addedCharge, lan: loan, reason: 'The bank sent it back.', preview_hash: 'x' } }),
  approveProposal: ({ proposal }) => ({ params: { id: proposal }, body: { preview_hash: 'x' } }),
  rejectProposal: ({ proposal }) => ({ params: { id: proposal }, body: { reason: '' } }),
  withdrawProposal: ({ proposal }) => ({ params: { id: proposal }, body: { reason: '' } }),
  readNotices: () => ({}),
  markNoticesRead: () => ({ body: { notice_ids: [] } }),
  readNoticePreferences: () => ({}),
  changeNoticePreferences: () => ({ body: {} }),
}

// Callers

type Caller = {
  /** No open session: every call answers 401. */
  out?: true
  /** The borrower whose data the caller owns; null for staff who act for nobody. */
  subject?: 'owner' | 'other' | null
  staff?: true
  assuming?: true
  permissions?: readonly Permission[]
  token(): Promise<string | undefined>
}
const others = (permission: Permission) => borrowerPermissions.filter((one) => one !== permission)

const callers: Record<string, Caller> = {
  nobody: { out: true, token: async () => undefined },
  garbage: { out: true, token: async () => 'a.b.c' },
  'an expired token': { out: true, token: async () => createToken('owner', { minutes: -1 }) },
  'a session signed out': { out: true, token: async () => createToken('owner', { revoked: true }) },
  'a foreign key': { out: true, token: async () => createToken('owner', { keyPem: foreignKey }) },
  'a disabled borrower': { out: true, token: async () => createToken('disabled') },
  'staff whose account was closed': { out: true, token: async () => createToken('closedStaff') },
  'staff who lost the role while acting': { out: true, token: async () => createToken('demotedStaff', { assumed: 'owner' }) },
  'the owner': { subject: 'owner', permissions: borrowerPermissions, token: async () => createToken('owner') },
  'another borrower': { subject: 'other', permissions: borrowerPermissions, token: async () => createToken('other') },
  ...Object.fromEntries(
    borrowerPermissions.map((permission): [string, Caller] => [
      `the owner without ${permission}`,
      {
        subject: 'owner',
        permissions: others(permission),
        token: async () => (await setPermissions('owner', others(permission)), createToken('owner')),
      },
    ]),
  ),
  'staff without the role': { subject: null, permissions: ['user:assume'], token: async () => createToken('demotedStaff') },
  'staff without user:assume': { subject: null, staff: true, permissions: [], token: async () => createToken('watchingStaff') },
  staff: { subject: null, staff: true, permissions: ['user:assume'], token: async () => createToken('staff') },
  'the maker': {
    subject: null,
    staff: true,
    permissions: ['operations:read', 'operations:propose'],
    token: async () => createToken('maker'),
  },
  'the checker': {
    subject: null,
    staff: true,
    permissions: ['operations:read', 'operations:approve'],
    token: async () => createToken('checker'),
  },
  'staff who only read operations': {
    subject: null,
    staff: true,
    permissions: ['operations:read'],
    token: async () => createToken('reader'),
  },
  'a checker without the role': {
    subject: null,
    permissions: ['operations:read', 'operations:approve'],
    token: async () => createToken('demotedChecker'),
  },
  'a maker and checker acting as the owner': {
    subject: 'owner',
    staff: true,
    assuming: true,
    permissions: [...borrowerPermissions, 'user:assume'],
    token: async () => createToken('allOperations', { assumed: 'owner' }),
  },
  'staff acting as the owner': {
    subject: 'owner',
    staff: true,
    assuming: true,
    permissions: [...borrowerPermissions, 'user:assume'],
    token: async () => createToken('staff', { assumed: 'owner' }),
  },
  'staff acting as another': {
    subject: 'other',
    staff: true,
    assuming: true,
    permissions: [...borrowerPermissions, 'user:assume'],
    token: async () => createToken('staff', { assumed: 'other' }),
  },
}

// Identifiers

const variants = ['the owner’s', 'another’s', 'nobody’s', 'of another kind', 'malformed', 'mixed'] as const
type Variant = (typeof variants)[number]

function idsOf(variant: Variant): Ids {
  switch (variant) {
    case 'the owner’s':
      return things.owner
    case 'another’s':
      return things.other
    case 'nobody’s':
      return {
        loan: 'KST-00-000000',
        payment_link: 'plink_00000000000000',
        document: uuidv7(),
        tranche: 'KST-00-000000-T1',
        receipt: 'KST-00-000000-R1',
        user: uuidv7(),
        proposal: uuidv7(),
        rate_reset: uuidv7(),
        loan_paper: uuidv7(),
        mandate: uuidv7(),
        collection: uuidv7(),
      }
    case 'of another kind':
      return {
        loan: things.owner.payment_link,
        payment_link: things.owner.document,
        document: things.owner.user,
        tranche: things.owner.loan,
        receipt: things.owner.loan,
        user: things.owner.document,
        proposal: things.owner.user,
        rate_reset: things.owner.user,
        loan_paper: things.owner.document,
        mandate: things.owner.collection,
        collection: things.owner.mandate,
      }
    case 'malformed':
      return {
        loan: '../x',
        payment_link: "' or 1=1",
        document: '..%2f',
        tranche: '{}',
        user: '*',
        receipt: '#1',
        proposal: '(1)',
        rate_reset: '%00',
        loan_paper: '.',
        mandate: '<1>',
        collection: '%',
      }
    case 'mixed':
      return things.owner
  }
}

/**
 * The sample of a call. In mixed variants the first identifier is the owner's and the others belong
 * to another borrower.
 */
function requestOf(name: CallName, variant: Variant): Sample {
  const sample = samples[name](idsOf(variant))
  if (variant !== 'mixed') return sample
  const foreign = samples[name](things.other)
  const [, ...rest] = Object.keys(accessTable[name].identifiers)
  const mix = <T>(part: Record<string, T> | undefined, from: Record<string, T> | undefined) =>
    part &&
    Object.fromEntries(Object.entries(part).map(([field, value]) => [field, rest.includes(field) ? (from?.[field] ?? value) : value]))
  return JSON.parse(
    JSON.stringify({
      params: sample.params,
      query: mix(sample.query, foreign.query),
      body: mix(sample.body, foreign.body),
      form: mix(sample.form, foreign.form),
    }),
  ) as Sample
}

/** The expected result: a status, or that the request reaches the use case. */
function expected(name: CallName, caller: Caller, variant: Variant): 401 | 403 | 404 | 400 | 'through' {
  const row = accessTable[name]
  if (row.needs === 'public') return 'through'
  if (caller.out) return 401
  if (row.scope === 'staff' && !caller.staff) return 403
  if (row.scope === 'borrower' && caller.subject === null && !row.isEmptyForNobody) return 404
  if (row.isRefusedWhileAssuming && caller.assuming) return 403
  if (row.needs !== 'session' && !caller.permissions?.includes(row.needs)) return 403
  const kinds = Object.values(row.identifiers)
  if (kinds.length === 0) return 'through'
  if (variant === 'malformed') return 400
  const named = variant === 'the owner’s' ? 'owner' : variant === 'another’s' ? 'other' : null
  if (named === null) return 404
  if (row.scope === 'staff') return 'through'
  // Staff may read every borrower's profile, but no other data of others.
  if (kinds[0] === 'user' && caller.staff) return 'through'
  return caller.subject === named ? 'through' : 404
}

// Test data

const foreignKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const onePixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const pdfFile = new File([new Uint8Array(pdf())], 'matrix.pdf', { type: 'application/pdf' })
const people: Record<string, Partial<Person>> = {
  owner: {},
  other: {},
  disabled: { disabled: true },
  staff: { kind: 'staff', roles: [assumeRole], permissions: ['user:assume'] },
  watchingStaff: { kind: 'staff', roles: [assumeRole], permissions: [] },
  demotedStaff: { kind: 'staff', roles: [], permissions: ['user:assume'] },
  maker: { kind: 'staff', roles: [assumeRole], permissions: ['operations:read', 'operations:propose'] },
  checker: { kind: 'staff', roles: [assumeRole], permissions: ['operations:read', 'operations:approve'] },
  reader: { kind: 'staff', roles: [assumeRole], permissions: ['operations:read'] },
  demotedChecker: { kind: 'staff', roles: [], permissions: ['operations:read', 'operations:approve'] },
  allOperations: {
    kind: 'staff',
    roles: [assumeRole],
    permissions: ['operations:read', 'operations:propose', 'operations:approve', 'user:assume'],
  },
  closedStaff: { kind: 'staff', roles: [assumeRole], permissions: ['user:assume'], disabled: true },
}
const ids: Record<string, string> = {}
let things: Record<'owner' | 'other', Ids>
let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
  for (const [index, [who, person]] of Object.entries(people).entries())
    ids[who] = await addPerson(app.database, app.clock.now(), {
      phone: `+9188000000${String(index).padStart(2, '0')}`,
      firstName: 'Matrix',
      lastName: who,
      ...person,
    })
  things = { owner: await createObjects('owner'), other: await createObjects('other') }
})
afterAll(() => app.close())

const soon = () => addDays(dayInIndia(app.clock.now()), 7)

type MintOptions = { minutes?: number; revoked?: boolean; keyPem?: string; assumed?: string }

/** Creates a session as sign-in and assume do, without their steps. */
async function createToken(who: string, { minutes = 25, revoked = false, keyPem, assumed }: MintOptions = {}): Promise<string> {
  const now = new Date(Math.floor(app.clock.now().getTime() / 1_000) * 1_000)
  const expiresAt = new Date(now.getTime() + minutes * 60_000)
  const userId = ids[who] ?? ''
  const session = { userId, createdAt: now, expiresAt, remoteAddress: '', userAgent: '' }
  const [parentId, sessionId] = [uuidv7(), uuidv7()]
  const acting = assumed === undefined ? null : { userId: ids[assumed] ?? '', parentSessionId: parentId, reason: null }
  await app.database.asSystem(async (sql) => {
    if (acting) await insertSession(sql, { ...session, sessionId: parentId })
    await insertSession(sql, { ...session, sessionId, ...(acting && { assumed: acting }) })
    if (revoked) await revokeSessions(sql, userId, [sessionId], now)
  })
  const keys = keyPem === undefined ? app.context.config.signIn.tokenKeys : [keyPem]
  return signToken(keys, {
    userId,
    sessionId,
    roles: people[who]?.roles ?? [],
    assumedUserId: acting?.userId ?? null,
    issuedAt: now,
    expiresAt,
  })
}

const setPermissions = (who: string, permissions: readonly Permission[]) =>
  app.database.asSystem((sql) =>
    sql
      .updateTable('users')
      .set({ permissions: [...permissions] })
      .where('user_id', '=', ids[who] ?? '')
      .execute(),
  )

/** Creates an active loan with a link, a document and a tranche. */
async function createObjects(who: 'owner' | 'other'): Promise<Ids> {
  const today = dayInIndia(app.clock.now())
  const lan = `KST-99-${who.toUpperCase()}`
  const key = await addLoan(app.database, app.clock.now(), ids[who] ?? '', {
    lan,
    leadId: `LEAD-${who}`,
    partnerLoanId: `PL-${who}`,
    title: 'Matrix',
    sanctionedRupees: 400_000,
    disbursals: [{ date: addMonths(today, -2, 5), rupees: 200_000 }],
    annualRatePercent: 11,
    instalments: 36,
    firstDueDate: addMonths(today, 1, 5),
  })
  const token = await createToken(who)
  const receipt = await withLockedLoan(app.database, key, app.clock.now(), async (loan) => {
    const payment = { mode: 'neft', reference: `UTR-${who}`, amountPaise: rupeesToPaise(100), date: today, purpose: null } as const
    const { paymentId } = await recordPayment(loan, payment)
    return readReceiptNumber(loan.sql, loan.own.loan, paymentId)
  })
  const schedule = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { min_allowed_amount: amount } = (schedule.body['allowed_payments'] as { part_payment: { min_allowed_amount: number } })
    .part_payment
  const link = await app.post(
    '/portal/payment-link',
    { amount, lead_id: lan, application_id: lan, purpose: 'PART_PAYMENT__REDUCE_EMI', callback_url },
    token,
  )
  const document = await send('uploadDocument', { form: { document_type: 'Others', lead_id: lan, lan } }, token)
  await app.post('/portal/tranche', { lead_id: lan, lan, amount: 50_000, date: soon() }, token)
  const tranches = await app.get(`/portal/tranche-details?lan=${lan}`, token)
  const editableTranche = (tranches.body['tranches'] as { partner_tranche_id: string; is_editable: boolean }[]).find(
    ({ is_editable }) => is_editable,
  )
  return {
    loan: lan,
    payment_link: String(link.body['payment_link_id']),
    document: String((JSON.parse(document.text) as { document_id: string }).document_id),
    tranche: String(editableTranche?.partner_tranche_id),
    user: ids[who] ?? '',
    receipt,
    proposal: await proposeCharge(lan),
    rate_reset: await addReset(ids[who] ?? '', key.loanId),
    loan_paper: await addPaper(lan),
    ...(await addAutopay(key)),
  }
}

/** A published paper of the loan. */
async function addPaper(lan: string): Promise<string> {
  const uploaded = await send('uploadLoanPaper', { form: { lan, paper: 'kfs' } }, await createToken('maker'), pdfFile)
  const { loan_paper: paper } = JSON.parse(uploaded.text) as { loan_paper: { id: string } }
  await app.database.asSystem((sql) =>
    sql.updateTable('loan_papers').set({ published_at: app.clock.now(), published_by: 'test' }).where('paper_id', '=', paper.id).execute(),
  )
  return paper.id
}

/** A reset of the loan's rate that can be chosen. */
async function addReset(borrowerId: string, loanId: string): Promise<string> {
  const today = dayInIndia(app.clock.now())
  const resetId = uuidv7()
  await app.database.asBorrower(borrowerId, (sql) =>
    insertResets(sql, [
      {
        borrower_id: borrowerId,
        reset_id: resetId,
        loan_id: loanId,
        run_id: uuidv7(),
        state: 'notified',
        from_rate_ppb: 110_000_000n,
        to_rate_ppb: 120_000_000n,
        effective_on: addDays(today, 40),
        instalments_max: 120,
        default_choice: 'keep_emi',
        default_instalment_paise: rupeesToPaise(1),
        instalment_paise: rupeesToPaise(1),
        last_due_on: addDays(today, 400),
        ledger_sequence: 0n,
        notified_at: app.clock.now(),
      },
    ]),
  )
  return resetId
}

/** An active mandate of a loan with a planned debit; the provider does not know them. */
async function addAutopay({ borrowerId, loanId }: AddedLoan): Promise<Pick<Ids, 'mandate' | 'collection'>> {
  const now = app.clock.now()
  const mandate = uuidv7()
  const collection = await app.database.asBorrower(borrowerId, async (sql) => {
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const day = addDays(dayInIndia(now), 20)
    const row = {
      borrower_id: borrowerId,
      mandate_id: mandate,
      loan_id: loanId,
      reference: `KM-${mandate}`,
      method: 'upi',
      auth_type: null,
    } as const
    const terms = { max_amount_paise: rupeesToPaise(20_000), account_hint: null, consent_version: 'x', expires_at: now, ends_on: day }
    await addMandate(sql, { ...row, ...terms, created_by: borrowerId }, now, noFurtherCheck)
    await changeMandateRow(sql, { borrower_id: borrowerId, mandate_id: mandate }, { status: 'active', active_at: now })
    const plan = { dueOn: day, attempt: 1, plannedBy: 'system', debitOn: day, firstDebitOn: day }
    const active = await readMandateRow(sql, { borrower_id: borrowerId, mandate_id: mandate })
    return insertCollection(app.context, { sql, own, mandate: active, now }, plan)
  })
  return { mandate, collection }
}

/** A proposal of the maker that can be executed. */
async function proposeCharge(lan: string): Promise<string> {
  const token = await createToken('maker')
  const operation = { ...addedCharge, lan }
  const { body: preview } = await app.post('/operations/previews', operation, token)
  const asked = { ...operation, reason: 'The bank sent it back.', preview_hash: preview['preview_hash'] }
  const { body } = await app.post('/operations/proposals', asked, token)
  return (body['proposal'] as { id: string }).id
}

async function send(
  name: CallName,
  { params = {}, query, body, form }: Sample,
  token: string | undefined,
  file = new File([onePixel], 'matrix.png', { type: 'image/png' }),
) {
  const call: Endpoint = contract[name]
  const path = call.path.replaceAll(/:([a-z_]+)/g, (_all, param: string) => encodeURIComponent(params[param] ?? ''))
  let data: FormData | undefined
  if (form) {
    data = new FormData()
    for (const [field, value] of Object.entries(form)) data.set(field, value)
    data.set('file', file)
  }
  const response = await fetch(`${app.url}${apiPrefix}${path}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method: call.method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) },
    ...(data ? { body: data } : body && { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    length: response.headers.get('content-length'),
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

/** All data of all people as text, without last-seen times and access log. */
async function snapshot(): Promise<string> {
  return app.database.asSystem(async (sql) =>
    JSON.stringify(
      [
        await sql.selectFrom('users').selectAll().orderBy('user_id').execute(),
        await sql.selectFrom('loans').selectAll().orderBy('loan_id').execute(),
        await sql.selectFrom('payment_links').selectAll().orderBy('payment_intent_id').execute(),
        await sql.selectFrom('ledger_transactions').select('transaction_id').orderBy('transaction_id').execute(),
        await sql.selectFrom('documents').selectAll().orderBy('document_id').execute(),
        await sql.selectFrom('tranches').selectAll().orderBy('tranche_id').execute(),
        await sql.selectFrom('operation_proposals').selectAll().orderBy('proposal_id').execute(),
        await sql.selectFrom('mandates').selectAll().orderBy('mandate_id').execute(),
        await sql.selectFrom('collections').selectAll().orderBy('collection_id').execute(),
        await sql.selectFrom('rate_resets').selectAll().orderBy('reset_id').execute(),
        await sql.selectFrom('loan_papers').selectAll().orderBy('paper_id').execute(),
      ],
      (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    ),
  )
}

/** Every answer of the matrix, for the tests about some of them. */
type Answered = { name: CallName; who: string; variant: Variant; wanted: ReturnType<typeof expected>; status: number }
const answered: Answered[] = []
/**
 * For each call and caller: the number of different answers to hidden, missing, mixed or mistyped
 * identifiers.
 */
const hiddenAnswers: { name: CallName; who: string; different: number; compared: number }[] = []
const variantsOf = (name: CallName): readonly Variant[] => {
  const count = Object.keys(accessTable[name].identifiers).length
  return count === 0 ? ['the owner’s'] : variants.filter((variant) => variant !== 'mixed' || count > 1)
}

it('P15: reads change nothing', async () => {
  const notices = () =>
    app.database.asSystem((sql) => sql.selectFrom('notices').select(['notice_id', 'read_at']).orderBy('notice_id').execute())
  // A poll of a link notes when the provider was asked.
  const everything = async () => [(await snapshot()).replaceAll(/"provider_checked_at":"[^"]+"/g, ''), await notices()]
  const reads = names.filter((name) => contract[name].method === 'GET')
  const before = await everything()
  const sent = new Set<CallName>()
  for (const [who, caller] of Object.entries(callers).filter(([who]) => ['the owner', 'staff', 'the maker'].includes(who))) {
    const token = await caller.token()
    for (const name of reads.filter((one) => expected(one, caller, 'the owner’s') === 'through')) {
      const { status, text } = await send(name, requestOf(name, 'the owner’s'), token)
      // Public calls know no code of the samples.
      if (accessTable[name].needs !== 'public') expect(status, `${name}, ${who}: ${text.slice(0, 150)}`).toBe(200)
      sent.add(name)
    }
  }
  expect(reads.filter((name) => !sent.has(name))).toEqual([])
  const head = await fetch(`${app.url}${apiPrefix}/portal/loans-summary`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${await createToken('owner')}` },
  })
  expect(head.status).toBe(200)
  expect(await everything()).toEqual(before)
})

describe('every call, for every caller, with every identifier', () => {
  it.each(Object.entries(callers))('%s', async (who, caller) => {
    const before = await snapshot()
    for (const name of names) {
      const hidden: unknown[] = []
      let alive = await caller.token()
      for (const variant of variantsOf(name)) {
        // A new assumed session ends the previous one.
        if (name === 'assume') alive = await caller.token()
        const wanted = expected(name, caller, variant)
        const answer = await send(name, requestOf(name, variant), alive)
        const what = `${name}, ${variant}: ${answer.status} ${answer.text.slice(0, 150)}`
        answered.push({ name, who, variant, wanted, status: answer.status })
        if (wanted === 'through') expect(name in alwaysThrough ? [] : [401, 403, 404], what).not.toContain(answer.status)
        else expect(answer.status, what).toBe(wanted)
        expect(answer.status, what).toBeLessThan(500)
        if (wanted === 404) hidden.push({ ...answer, text: answer.text.replace(/"request_id":"[^"]+"/, '') })
      }
      hiddenAnswers.push({ name, who, different: new Set(hidden.map((answer) => JSON.stringify(answer))).size, compared: hidden.length })
    }
    if (caller.subject === 'owner') await setPermissions('owner', borrowerPermissions)
    // The samples change nothing, except for one upload and one cancelled link.
    if (caller.out || caller.subject === null) expect(await snapshot()).toBe(before)
  })

  const refused = [401, 403, 404]
  const guarded = ({ name }: Answered) => accessTable[name].needs !== 'public'
  /** The answers with another status, as `call who variant: status`. */
  const otherThan = (statuses: readonly number[], some: readonly Answered[]) =>
    some.filter(({ status }) => !statuses.includes(status)).map(({ name, who, variant, status }) => `${name} ${who} ${variant}: ${status}`)

  it('S08: a session signed out is refused by every call', () => {
    const some = answered.filter((one) => guarded(one) && one.who === 'a session signed out')
    expect(new Set(some.map(({ name }) => name)).size).toBe(names.filter((name) => accessTable[name].needs !== 'public').length)
    expect(otherThan([401], some)).toEqual([])
  })

  it('Z03: another borrower’s identifier is always refused', () => {
    const some = answered.filter(
      (one) =>
        guarded(one) &&
        callers[one.who]?.subject === 'owner' &&
        one.variant === 'another’s' &&
        !(callers[one.who]?.staff && 'user_id' in accessTable[one.name].identifiers) &&
        !(callers[one.who]?.staff && 'user_id_to_assume' in accessTable[one.name].identifiers),
    )
    expect(some.length).toBeGreaterThan(100)
    expect(otherThan(refused, some)).toEqual([])
  })

  it('Z04: identifiers of two borrowers in one request are always refused', () => {
    const some = answered.filter((one) => guarded(one) && one.variant === 'mixed')
    expect(new Set(some.map(({ name }) => name)).size).toBeGreaterThan(3)
    expect(otherThan(refused, some)).toEqual([])
  })

  it('Z05: another borrower’s object and a missing one get the same answer, to the byte', () => {
    expect(hiddenAnswers.filter(({ compared }) => compared > 1).length).toBeGreaterThan(100)
    expect(hiddenAnswers.filter(({ different }) => different > 1)).toEqual([])
  })

  it('Z06: the server checks each permission', () => {
    for (const permission of borrowerPermissions) {
      const some = answered.filter(({ name, who }) => accessTable[name].needs === permission && who === `the owner without ${permission}`)
      expect([permission, some.length > 0]).toEqual([permission, true])
      expect(otherThan([403], some)).toEqual([])
    }
  })

  it('Z17: operations × every kind of caller, 0 unexpected 2xx', () => {
    const isOfOperations = ({ name }: Answered) => contract[name].path.startsWith('/operations/')
    const some = answered.filter(isOfOperations)
    const unexpected = some.filter(({ wanted, status }) => wanted !== 'through' && status < 300)
    console.log(`operations × every kind of caller: ${some.length} answers, ${unexpected.length} unexpected 2xx`)
    expect(new Set(some.map(({ who }) => who)).size).toBe(Object.keys(callers).length)
    expect(otherThan(refused, unexpected)).toEqual([])
    for (const [permission, who] of [
      ['operations:propose', 'the checker'],
      ['operations:approve', 'the maker'],
      ['operations:read', 'staff'],
    ] as const) {
      const denied = some.filter((one) => accessTable[one.name].needs === permission && one.who === who)
      expect([who, denied.length > 0, otherThan([403], denied)]).toEqual([who, true, []])
    }
  })

  it('F11: a document cannot be opened without a token or by another borrower', () => {
    const some = answered.filter(({ name }) => name === 'openDocument')
    const of = (who: string, variant: Variant) => some.find((one) => one.who === who && one.variant === variant)?.status
    expect([
      of('nobody', 'the owner’s'),
      of('another borrower', 'the owner’s'),
      of('the owner', 'another’s'),
      of('the owner', 'the owner’s'),
    ]).toEqual([401, 404, 404, 200])
  })

  it('Z01: all calls are covered, in at least 1,500 assertions', () => {
    console.log(`access matrix: ${answered.length} assertions, ${names.length} calls, ${Object.keys(callers).length} callers`)
    expect(answered.length).toBeGreaterThanOrEqual(1_500)
    expect(Object.keys(accessTable).sort()).toEqual([...names].sort())
    for (const name of names) {
      const { params, query, body, form } = samples[name](idsOf('the owner’s'))
      const fields = Object.keys({ ...params, ...query, ...body, ...form })
      expect([name, Object.keys(accessTable[name].identifiers).filter((field) => !fields.includes(field))]).toEqual([name, []])
    }
  })
})

/** Calls that answer 404 or 401 themselves for an unknown phone, code or ticket. */
const alwaysThrough: Partial<Record<CallName, true>> = { login: true, verify: true, openGeneratedDocument: true, verifyDocument: true }
