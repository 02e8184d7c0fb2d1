import * as z from 'zod/mini'
import { problemFields } from './problem-fields.ts'

/**
 * Every error of the API with its HTTP status and title (RFC 9457). The web shows its own sentence
 * for each code. The four errors of spec §8 keep their names.
 */
export const errorCatalogue = {
  InvalidRequest: { status: 400, title: 'The request is not valid' },
  AuthUserNotFoundError: { status: 404, title: 'No account has this phone number' },
  AuthInvalidOTPError: { status: 400, title: 'The code does not match' },
  AuthTooManyAttemptsError: { status: 429, title: 'Too many attempts' },
  AuthResendTooSoon: { status: 429, title: 'A code was sent a moment ago' },
  AuthSessionExpired: { status: 401, title: 'The session has ended' },
  PermissionDenied: { status: 403, title: 'Action not allowed' },
  NotFound: { status: 404, title: 'Not found' },
  MethodNotAllowed: { status: 405, title: 'The method is not allowed here' },
  UnsupportedMediaType: { status: 415, title: 'The body is of an unsupported type' },
  PayloadTooLarge: { status: 413, title: 'The body is too large' },
  RequestTimeout: { status: 408, title: 'The request took too long to arrive' },
  TooManyRequests: { status: 429, title: 'Too many requests at once' },
  PaymentNotAllowed: { status: 409, title: 'This payment is not on offer' },
  PaymentAlreadyPending: { status: 409, title: 'Another payment is pending' },
  PaymentLinkNotCancellable: { status: 409, title: 'The payment link can no longer be cancelled' },
  LinkOpen: { status: 409, title: 'A payment link of the loan is open' },
  LinkPaid: { status: 409, title: 'The payment link was paid before it could be cancelled' },
  PaymentGatewayRefused: { status: 502, title: 'The payment provider refused' },
  PaymentGatewayUnavailable: { status: 503, title: 'The payment provider cannot be reached' },
  RequestInProgress: { status: 409, title: 'The same request is still being worked on' },
  IdempotencyKeyReused: { status: 422, title: 'The key was used with another request' },
  MandateExists: { status: 409, title: 'Autopay is set up already' },
  MandateNotChangeable: { status: 409, title: 'Autopay cannot be changed now' },
  AutopayNotOffered: { status: 409, title: 'Autopay is not on offer' },
  AutopayInProgress: { status: 409, title: 'A debit is in progress' },
  AutopayFieldInvalid: { status: 422, title: 'A field is not valid' },
  CollectionNotChangeable: { status: 409, title: 'The debit cannot be changed now' },
  LoanNotActive: { status: 409, title: 'The loan is not active' },
  LeadIdMissing: { status: 409, title: 'Lead ID not available for document upload' },
  FileEmpty: { status: 400, title: 'File is empty. Please select a valid file with content.' },
  FileTypeUnsupported: { status: 415, title: 'Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.' },
  FileTooLarge: { status: 413, title: 'The file is too large' },
  FileRefused: { status: 422, title: 'The file may not be stored' },
  DocumentQuotaReached: { status: 409, title: 'The loan has as many documents as it may' },
  DocumentNotAvailable: { status: 409, title: 'This document is not available for the loan' },
  ScannerUnavailable: { status: 503, title: 'Files cannot be checked at the moment' },
  StorageUnavailable: { status: 503, title: 'Files cannot be stored or read at the moment' },
  TrancheNotAllowed: { status: 409, title: 'No tranche can be asked for' },
  TranchePending: { status: 409, title: 'Another tranche is waiting for a decision' },
  TrancheAboveMaximum: { status: 409, title: 'The amount is more than is left of the loan' },
  TrancheNotEditable: { status: 409, title: 'The tranche can no longer be changed' },
  RateResetClosed: { status: 409, title: 'Nothing can be chosen any more' },
  RateResetStale: { status: 409, title: 'The figures have changed since they were shown' },
  RateResetNotAllowed: { status: 409, title: 'This choice is not on offer' },
  ChargeNotDisclosed: { status: 409, title: 'The key facts statement does not list this charge' },
  FourEyes: { status: 403, title: 'Another person has to decide' },
  ProposalStale: { status: 409, title: 'The figures have changed since the preview' },
  ProposalDecided: { status: 409, title: 'The proposal is decided already' },
  ProposalRefused: { status: 422, title: 'The input is not possible' },
  WebhookSignatureInvalid: { status: 400, title: 'The signature is not valid' },
  Unexpected: { status: 500, title: 'Something went wrong' },
  Overloaded: { status: 503, title: 'Too much at once' },
  Unavailable: { status: 503, title: 'The service is not ready' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorCatalogue

const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]

/** The problem document of every error, `application/problem+json` (decision 2). */
export const problem = z.object({ ...problemFields, code: z.enum(errorCodes) })
export type Problem = z.output<typeof problem>
