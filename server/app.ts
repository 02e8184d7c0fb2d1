import proxyAddress from '@fastify/proxy-addr'
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import * as contract from '#contract/index.ts'
import { apiPrefix, type Endpoint } from '#contract/endpoint.ts'
import { findNetworks } from './auth/address.ts'
import { cancelMandate, sendMandateCancelCode } from './autopay/cancel-mandate.ts'
import { retryCollection, skipCollection } from './autopay/change-collection.ts'
import { createMandate } from './autopay/create-mandate.ts'
import { pauseMandate, resumeMandate } from './autopay/pause-mandate.ts'
import { readAutopay } from './autopay/read-autopay.ts'
import { readCollections } from './autopay/read-collections.ts'
import { readMandate } from './autopay/read-mandate.ts'
import { endOtherSessions } from './auth/end-other-sessions.ts'
import { listSessions } from './auth/list-sessions.ts'
import { login } from './auth/login.ts'
import { readCodeStatus } from './auth/read-code-status.ts'
import { logout } from './auth/logout.ts'
import { readPermissions } from './auth/read-permissions.ts'
import { verify } from './auth/verify.ts'
import type { Context } from './context.ts'
import { generateDocument } from './documents/generate-document.ts'
import { refuseWithoutActiveLoan } from './documents/refuse-without-active-loan.ts'
import { openDocument } from './documents/open-document.ts'
import { findPersonOfToken } from './auth/read-caller.ts'
import { findSessionOfTicket, openGeneratedDocument } from './documents/open-generated-document.ts'
import { readDocuments } from './documents/read-documents.ts'
import { uploadDocument } from './documents/upload-document.ts'
import { verifyDocument } from './documents/verify-document.ts'
import { openLoanPaper } from './loan-papers/open-loan-paper.ts'
import { readLoanPapers } from './loan-papers/read-loan-papers.ts'
import { openOperationsPaper } from './operations/open-operations-paper.ts'
import { uploadLoanPaper } from './operations/upload-loan-paper.ts'
import { serveBrandPictures } from './http/brand-logo.ts'
import { answerBrokenRequest, limitConnections } from './http/connections.ts'
import { answerFailures } from './http/failures.ts'
import { readForwardedAddresses } from './http/forwarded-addresses.ts'
import { healthPaths, serveHealth } from './http/health.ts'
import { readJsonBodies } from './http/json-body.ts'
import { serveOpenApi } from './http/openapi.ts'
import { createRequestLimits, type RequestLimits } from './http/request-limits.ts'
import { createRequestLog } from './http/request-log.ts'
import { drainEarlyAnsweredRequests } from './http/drain-request.ts'
import { shedLoad } from './http/load-shedding.ts'
import { refuseOtherMethods } from './http/other-methods.ts'
import { parseQuery, refuseOversizedQueries } from './http/query.ts'
import { readableTarget, refuseRepeatedHeaders, refuseUnreadableTargets } from './http/request-target.ts'
import { limitBodies } from './http/body-limits.ts'
import { route, type BeforeForm, type UseCase, type UseCases } from './http/route.ts'
import { addSecurityHeaders } from './http/security-headers.ts'
import { serveSecurityTxt } from './http/security-txt.ts'
import { serveWebApp } from './http/web-app.ts'
import { explainFigure } from './loans/explain-figure.ts'
import { readLoansSummary } from './loans/read-loans-summary.ts'
import { readOngoingApplication } from './loans/read-ongoing-application.ts'
import { readRepaymentSchedule } from './loans/read-repayment-schedule.ts'
import { markNoticesRead } from './notices/mark-notices-read.ts'
import { changeNoticePreferences, readNoticePreferences } from './notices/notice-preferences.ts'
import { readNotices } from './notices/read-notices.ts'
import { cancelPaymentLink } from './payments/links/cancel-payment-link.ts'
import { createPaymentLink } from './payments/links/create-payment-link.ts'
import { previewPartPayment } from './payments/views/preview-part-payment.ts'
import { readCompletedPayments } from './payments/views/read-completed-payments.ts'
import { readOngoingPayment } from './payments/views/read-ongoing-payment.ts'
import { readPaymentLinkStatus } from './payments/links/read-payment-link-status.ts'
import { readPaymentTrail } from './payments/views/read-payment-trail.ts'
import { chooseRateReset } from './rate-resets/choose-rate-reset.ts'
import { readRateResets } from './rate-resets/read-rate-resets.ts'
import { approveProposal } from './operations/approve-proposal.ts'
import { rejectProposal, withdrawProposal } from './operations/close-proposal.ts'
import { countOperations } from './operations/count-operations.ts'
import { findOperationsLoans } from './operations/find-loans.ts'
import { previewOperation } from './operations/preview-operation.ts'
import { proposeOperation } from './operations/propose-operation.ts'
import { readOperationsLoan } from './operations/read-loan.ts'
import { readProposal } from './operations/read-proposal.ts'
import { readOperationsQueue } from './operations/read-queue.ts'
import { readOperationsReviews } from './operations/read-reviews.ts'
import type { Readiness } from './http/readiness.ts'
import { assume } from './staff/assume.ts'
import { endAssume } from './staff/end-assume.ts'
import { listUsers } from './staff/list-users.ts'
import { readStaffAccess } from './staff/read-staff-access.ts'
import { readUser } from './staff/read-user.ts'
import { readForms } from './http/uploads.ts'
import { measureRequests } from './telemetry/measure-requests.ts'
import { traceRequests } from './telemetry/trace-requests.ts'
import { changeTranche } from './tranches/change-tranche.ts'
import { previewTranche } from './tranches/preview-tranche.ts'
import { readTranches } from './tranches/read-tranches.ts'
import { requestTranche } from './tranches/request-tranche.ts'
import type { Inbox } from './webhooks/inbox.ts'
import { receiveRazorpayWebhooks } from './webhooks/receive-razorpay.ts'

/** One use case for every call of the contract; a missing one does not compile. */
const useCases: UseCases<typeof contract> = {
  login,
  verify,
  readCodeStatus,
  logout,
  readPermissions,
  listSessions,
  endOtherSessions,
  listUsers,
  readUser,
  assume,
  endAssume,
  readStaffAccess,
  readLoansSummary,
  readRepaymentSchedule,
  readOngoingApplication,
  explainFigure,
  readTranches,
  previewTranche,
  requestTranche,
  changeTranche,
  readRateResets,
  chooseRateReset,
  readDocuments,
  uploadDocument,
  openDocument,
  generateDocument,
  openGeneratedDocument,
  verifyDocument,
  countOperations,
  readLoanPapers,
  openLoanPaper,
  uploadLoanPaper,
  openOperationsPaper,
  readOperationsQueue,
  findOperationsLoans,
  readOperationsLoan,
  readOperationsReviews,
  readProposal,
  previewOperation,
  proposeOperation,
  approveProposal,
  rejectProposal,
  withdrawProposal,
  readNotices,
  markNoticesRead,
  readNoticePreferences,
  changeNoticePreferences,
  previewPartPayment,
  createPaymentLink,
  readOngoingPayment,
  readCompletedPayments,
  readPaymentLinkStatus,
  readPaymentTrail,
  cancelPaymentLink,
  readAutopay,
  createMandate,
  readMandate,
  sendMandateCancelCode,
  pauseMandate,
  resumeMandate,
  cancelMandate,
  readCollections,
  skipCollection,
  retryCollection,
}

const beforeForms: Partial<Record<keyof typeof contract, BeforeForm>> = { uploadDocument: refuseWithoutActiveLoan }

const jsonBodyBytesMax = 64 * 1024
const names = Object.keys(contract) as (keyof typeof contract)[]
const requestTimeoutMs = 30_000
const takesFile = (call: Endpoint) => call.takes === 'file'
const uploadPaths = new Set(names.filter((name) => takesFile(contract[name])).map((name) => apiPrefix + contract[name].path))

/** Builds the HTTP server; it does not listen yet. */
export async function createApp(context: Context, readiness: Readiness, inbox: Inbox): Promise<FastifyInstance> {
  const isTrustedProxy = proxyAddress.compile([...context.config.http.trustedProxies])
  const loggerInstance: FastifyBaseLogger = context.log
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: createRequestLog,
    genReqId: () => crypto.randomUUID(),
    bodyLimit: jsonBodyBytesMax,
    trustProxy: context.config.http.trustedProxies.length > 0 ? isTrustedProxy : false,
    // The limit for the slowest body, a file upload; limitBodies has a shorter one for others.
    requestTimeout: Math.max(requestTimeoutMs, context.config.documents.uploadTimeoutMs + 5_000),
    connectionTimeout: 60_000,
    // A balancer keeps idle connections for a minute, and must be the one who closes them.
    keepAliveTimeout: context.config.http.trustedProxies.length > 0 ? 75_000 : 10_000,
    http: { headersTimeout: context.config.http.headersTimeoutMs, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: answerBrokenRequest,
    // Longer than any request line, so that the contract's checks refuse long identifiers with a
    // problem document.
    routerOptions: { maxParamLength: 16_384, querystringParser: parseQuery },
    rewriteUrl: readableTarget,
    return503OnClosing: false,
  })
  readForwardedAddresses(app)
  addSecurityHeaders(app, context.config)
  limitConnections(app, {
    connectionsMax: context.config.load.connectionsMax,
    perAddressMax: context.config.http.connectionsPerAddressMax,
    isTrustedProxy: (address) => isTrustedProxy(address, 0),
  })
  measureRequests(app, context.metrics)
  if (context.config.traces) traceRequests(app, context.tracing)
  refuseRepeatedHeaders(app)
  refuseOversizedQueries(app)
  shedLoad(app, context)
  answerFailures(app)
  drainEarlyAnsweredRequests(app)
  readJsonBodies(app)
  limitBodies(app, { timeoutMs: requestTimeoutMs, uploadPaths })
  const limits = createRequestLimits(context, {
    networkOf: (address) => findNetworks(address)[0].name,
    personOf: (token) => findPersonOfToken(context, token),
    sessionOfTicket: (query) => findSessionOfTicket(context, query),
  })
  await app.register(async (forms) => {
    await readForms(forms)
    for (const name of names) if (takesFile(contract[name])) mount(forms, context, limits, name, useCases[name])
  })
  for (const name of names) if (!takesFile(contract[name])) mount(app, context, limits, name, useCases[name])
  receiveRazorpayWebhooks(app, context, inbox)
  serveHealth(app, readiness)
  refuseUnreadableTargets(app)
  refuseOtherMethods(app, [
    ...Object.values<Endpoint>(contract).map(({ method, path }) => ({ method, url: apiPrefix + path })),
    { method: 'POST', url: `${apiPrefix}/webhooks/razorpay` },
    { method: 'GET', url: `${apiPrefix}/openapi.json` },
    { method: 'GET', url: healthPaths.live },
    { method: 'GET', url: healthPaths.ready },
  ])
  await serveOpenApi(app, context.config)
  serveSecurityTxt(app, context)
  serveBrandPictures(app, context.config)
  await serveWebApp(app, context.config)
  return app
}

/**
 * Mounts one call. In a loop over all calls, TypeScript no longer knows which use case belongs to
 * which call.
 */
function mount(app: FastifyInstance, context: Context, limits: RequestLimits, name: keyof typeof contract, useCase: unknown): void {
  const call: Endpoint = contract[name]
  route(app, context, { ...call, name }, useCase as UseCase<Endpoint>, limits, beforeForms[name])
}
