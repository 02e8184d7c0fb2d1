import * as z from 'zod/mini'
import {
  collectionStatuses,
  mandateAuthTypes,
  mandateEndReasons,
  mandateMethods,
  mandateStatuses,
  type FailureClass,
} from '#domain/autopay.ts'
import { documentLanguages } from '#domain/documents.ts'
import { refundStatuses } from '#domain/refunds.ts'
import { amount } from './amount.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'
import { trailStep, trailSteps } from './payments.ts'
import { plainText } from './text.ts'

/** A mandate of a loan: the borrower's permission to debit instalments. */
export const mandate = z.object({
  id: z.string(),
  /** `KM…`: our reference, which the bank statement and support use. */
  reference: z.string(),
  lan: z.string(),
  method: z.enum(mandateMethods),
  /** Null for UPI. */
  auth_type: z.nullable(z.enum(mandateAuthTypes)),
  status: z.enum(mandateStatuses),
  /** Why it is over; null before that. */
  reason: z.nullable(z.enum(mandateEndReasons)),
  /** Where it is paused. `app`: only the UPI app can resume it. */
  paused_by: z.nullable(z.enum(['portal', 'app'])),
  /** The cap that the borrower approved. */
  max_amount: amount,
  /** The largest debit: the cap, and for UPI at most the lender's limit of a single debit. */
  debit_limit: amount,
  /** Bank and last four digits, or the UPI handle; null before the bank reports it. */
  account_hint: z.nullable(z.string()),
  consent_version: z.string(),
  created_at: instant,
  active_at: z.nullable(instant),
  ended_at: z.nullable(instant),
  /** The provider's page, and until when it can be approved there; null unless `issued`. */
  redirect_url: z.nullable(z.string()),
  expires_at: z.nullable(instant),
})
export type Mandate = z.output<typeof mandate>

/** What follows a failed debit, for the screen's words. */
const failureClasses = ['technical', 'funds', 'ask_borrower', 'mandate_ended', 'review'] as const satisfies FailureClass[]

/** One step of a debit: of its plan, or of its money, as in a payment's trail. */
const collectionStep = z.extend(trailStep, {
  step: z.enum(['announced', 'delivered', 'presented', 'failed', 'skipped', ...trailSteps]),
})
export type CollectionStep = z.output<typeof collectionStep>

/** One debit of a mandate for one due date. */
export const collection = z.object({
  id: z.string(),
  /** `KC…`: our reference, which the bank statement shows. */
  reference: z.string(),
  lan: z.string(),
  mandate_id: z.string(),
  due_date: day,
  /** Of a planned debit: what would be debited as things are. */
  amount,
  /** Presentations for this due date: 1 to 3. */
  attempt: z.int(),
  status: z.enum(collectionStatuses),
  /** Why it was skipped, or the provider's reason of a failure. */
  reason: z.nullable(z.string()),
  /** What follows a failure; null unless `failed`. */
  failure_class: z.nullable(z.enum(failureClasses)),
  debit_on: day,
  announced_at: z.nullable(instant),
  delivered_at: z.nullable(instant),
  presented_at: z.nullable(instant),
  /** While `presented`: by when the outcome is known; null if that has passed without one. */
  expected_by: z.nullable(instant),
  /** Until when the borrower may skip it; null if that is over. */
  skip_until: z.nullable(instant),
  /** The days on which the borrower may have it tried again; null if not. */
  retry: z.nullable(z.object({ from: day, until: day })),
  /** What the amount pays, oldest first. */
  parts: z.array(z.object({ amount, due_date: z.optional(day), charge_type: z.optional(z.string()) })),
  /** The provider's id of the payment. */
  payment_id: z.nullable(z.string()),
  refund_status: z.nullable(z.enum(refundStatuses)),
  steps: z.array(collectionStep),
})
export type Collection = z.output<typeof collection>

const methodOffer = z.object({
  method: z.enum(mandateMethods),
  /** The cap on offer: the largest debit that the borrower allows. It may be raised to `limit`. */
  max_amount: amount,
  limit: amount,
  /** True if the bank asks for the UPI PIN at each debit. */
  pin_each_time: z.boolean(),
})

const offer = z.object({
  methods: z.array(methodOffer),
  /** 1 to 31; 31 is the last day of the month. */
  debit_day: z.int(),
  first_debit_on: day,
  consent_version: z.string(),
  consent_text: z.string(),
})
export type AutopayOfferOnWire = z.output<typeof offer>

/**
 * Autopay of a loan: the latest mandate, what is on offer (null: nothing), and the next debit. Of
 * `next_collection` the status says whether it is only planned.
 */
export const readAutopay = endpoint({
  method: 'GET',
  path: '/portal/autopay',
  access: 'session',
  summary: 'Autopay of a loan',
  query: z.object({
    application_id: identifier,
    /** The language of `consent_text`. */
    language: z.optional(z.enum(documentLanguages)),
  }),
  response: z.object({ mandate: z.nullable(mandate), offer: z.nullable(offer), next_collection: z.nullable(collection) }),
  errors: ['NotFound'],
})

/** Bounded text; the use case checks it and answers 422 by field. */
const shortText = plainText(200)

/**
 * Sets up a mandate. The borrower approves it on the provider's page, in a new tab; the portal
 * polls the mandate. Account numbers go to the provider and are not stored.
 */
export const createMandate = endpoint({
  method: 'POST',
  path: '/portal/autopay/mandates',
  idempotent: true,
  unhashedFields: ['account.account_number'],
  access: 'mandate:create',
  summary: 'Set up autopay',
  body: z.object({
    application_id: identifier,
    method: z.enum(mandateMethods),
    /** For an eMandate. */
    auth_type: z.optional(z.enum(mandateAuthTypes)),
    /** For an eMandate. */
    account: z.optional(
      z.object({
        beneficiary_name: shortText,
        account_number: shortText,
        account_type: z.enum(['savings', 'current']),
        ifsc_code: shortText,
      }),
    ),
    /** Absent: the cap on offer. */
    max_amount: z.optional(amount),
    consent_version: identifier,
  }),
  response: z.object({ mandate, redirect_url: z.string(), expires_at: instant }),
  errors: [
    'NotFound',
    'MandateExists',
    'AutopayNotOffered',
    'AutopayFieldInvalid',
    'PaymentGatewayRefused',
    'PaymentGatewayUnavailable',
    'TooManyRequests',
    'IdempotencyKeyReused',
    'RequestInProgress',
  ],
})

const mandateParams = z.object({ id: identifier })

/** A mandate. The page that waits for the bank or the app polls it. */
export const readMandate = endpoint({
  method: 'GET',
  path: '/portal/autopay/mandates/:id',
  access: 'session',
  summary: 'A mandate',
  params: mandateParams,
  response: z.object({ mandate }),
  errors: ['NotFound'],
})

/** Sends a code to the borrower's phone, with the limits of sign-in. Cancelling needs it. */
export const sendMandateCancelCode = endpoint({
  method: 'POST',
  path: '/portal/autopay/mandates/:id/cancel-code',
  access: 'mandate:update',
  summary: 'Send a code for cancelling a mandate',
  params: mandateParams,
  response: z.object({ session_token: z.string(), resend_after_seconds: z.int() }),
  errors: ['NotFound', 'MandateNotChangeable', 'AuthTooManyAttemptsError', 'AuthResendTooSoon'],
})

/** Pauses a mandate in the portal only: nothing is debited until it is resumed. */
export const pauseMandate = endpoint({
  method: 'POST',
  path: '/portal/autopay/mandates/:id/pause',
  access: 'mandate:update',
  summary: 'Pause a mandate',
  params: mandateParams,
  response: z.object({ mandate }),
  errors: ['NotFound', 'MandateNotChangeable'],
})

export const resumeMandate = endpoint({
  method: 'POST',
  path: '/portal/autopay/mandates/:id/resume',
  access: 'mandate:update',
  summary: 'Resume a paused mandate',
  params: mandateParams,
  response: z.object({ mandate }),
  errors: ['NotFound', 'MandateNotChangeable'],
})

/** Ends a mandate. From then on nothing is debited, except what was presented before. */
export const cancelMandate = endpoint({
  method: 'POST',
  path: '/portal/autopay/mandates/:id/cancel',
  access: 'mandate:update',
  summary: 'Cancel a mandate',
  params: mandateParams,
  body: z.object({ session_token: z.string().check(z.maxLength(200)), otp: z.string().check(z.regex(/^[0-9]{6}$/, 'must be 6 digits')) }),
  response: z.object({ mandate }),
  errors: ['NotFound', 'MandateNotChangeable', 'AuthInvalidOTPError', 'AuthTooManyAttemptsError', 'PaymentGatewayUnavailable'],
})

/** All debits of a loan, newest first; planned ones first. */
export const readCollections = endpoint({
  method: 'GET',
  path: '/portal/autopay/collections',
  access: 'session',
  summary: 'The debits of a loan',
  query: z.object({ application_id: identifier }),
  response: z.object({ collections: z.array(collection) }),
  errors: ['NotFound'],
})

/** Skips one debit, until an hour before it is presented. The instalment stays due. */
export const skipCollection = endpoint({
  method: 'POST',
  path: '/portal/autopay/collections/:id/skip',
  access: 'mandate:update',
  summary: 'Skip a debit',
  params: z.object({ id: identifier }),
  response: z.object({ collection }),
  errors: ['NotFound', 'CollectionNotChangeable', 'AutopayInProgress'],
})

/** Has a failed debit tried once more. Answers the new collection. */
export const retryCollection = endpoint({
  method: 'POST',
  path: '/portal/autopay/collections/:id/retry',
  access: 'mandate:update',
  summary: 'Try a failed debit again',
  params: z.object({ id: identifier }),
  body: z.object({ date: day }),
  response: z.object({ collection }),
  errors: ['NotFound', 'CollectionNotChangeable', 'AutopayFieldInvalid', 'AutopayInProgress'],
})
