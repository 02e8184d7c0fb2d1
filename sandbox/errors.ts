import { json, type Answer } from './http.ts'

/** The provider's own error texts, word for word (its published API reference). */
export const providerTexts = {
  referenceTaken: 'payment link creation with reference ID already attempted',
  expireBySoon: 'timestamp must be atleast 15 minutes in future',
  upiLinkTestMode: 'UPI Payment Links is not supported in Test Mode. Please experience the product in Live Mode.',
  upiCurrency: 'upi is currently supported only in indian currency',
  upiPartial: 'partial payment not supported in upi link',
  wrongFields: 'wrong input fields sent.',
  cancelPaid: 'cannot cancel or expire an already paid/partially paid link',
  cancelExpired: 'cannot cancel or expire an expired link',
  updateState: 'update can only be made in created or partially paid state',
  unknownId: 'The id provided does not exist',
  notMedium: 'not a valid notification medium',
  amountMin: 'The amount must be at least INR 1.00',
  amountInteger: 'The amount must be an integer',
  required: (field: string): string => `The ${field} is required`,
  tooLong: (field: string, max: number): string => `${field}: the length must not be greater than ${max}.`,
  invalidId: (id: string): string => `invalid input [strippedId] = [${id}]`,
  invalidKey: 'The api key provided is invalid',
  invalidSecret: 'The api secret provided is invalid',
  refundConflict: 'Different request with the same idempotency key has already been processed.',
  countMin: 'The count must be at least 1.',
  debitMax: 'Amount exceeds maximum amount allowed',
  debitMin: 'The amount must be at least INR 1.00.',
  debitCurrency: 'The currency should be INR when method is upi.',
  tokenMax: 'The order amount cannot be greater than the token max amount for upi recurring.',
} as const

/** Texts that the provider does not publish; these are ours, in its style. */
export const ownTexts = {
  amountMax: 'Amount exceeds maximum amount allowed.',
  expireByFar: 'timestamp must not be more than 6 months in future',
  notFoundUrl: 'The requested URL was not found on the server.',
  notJson: 'The request body is not valid JSON.',
  noKey: 'Please provide your api key for authentication purposes.',
  invalid: (field: string): string => `The ${field} is invalid`,
  refundState: 'The payment status should be captured for action to be taken',
  refundAmount: 'The total refund amount is greater than the refund payment amount',
  refundFull: 'The payment has been fully refunded already',
  refundKey: 'The X-Refund-Idempotency header is invalid',
  refundUnderWay: 'Another request with the same idempotency key is being processed.',
  refundOld: 'The payment is more than six months old and cannot be refunded.',
  refundBalance: 'Your account does not have enough balance to carry out the refund operation.',
  captured: 'This payment has already been captured',
  captureState: 'Only payments which have been authorized and not yet captured can be captured',
  captureAmount: 'Capture amount must be equal to the amount authorized',
  customerExists: 'Customer already exists for the merchant',
  invoiceExpireBy: 'expire_by should be at least 15 minutes after current time',
  invoiceState: (status: string): string => `Operation not allowed for Invoice in ${status} status.`,
  notAsked: (field: string): string => `${field} is/are not required and should not be sent`,
  registrationAmount: (method: string, paise: number): string => `The amount must be ${paise} when method is ${method}`,
  paymentAfter: 'payment_after must be in the future',
  orderAmount: 'Your payment amount is different from your order amount. To pay successfully, please try using right amount.',
  orderPaid: 'The order has already been paid',
  tokenCustomer: 'The token does not belong to the customer',
  tokenCancel: 'The token cannot be cancelled in its current state',
  tokenCancelMethod: 'Only a token of method upi can be cancelled',
  slowDetails: 'We are facing some trouble completing your request at the moment. Please try again shortly.',
} as const

/** A refusal, answered in the provider's error format. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly status: number
  readonly field: string | null

  constructor(description: string, field: string | null = null, status = 400) {
    super(description)
    this.status = status
    this.field = field
  }
}

/** The provider's error body. */
export function errorAnswer(
  status: number,
  code: 'BAD_REQUEST_ERROR' | 'GATEWAY_ERROR' | 'SERVER_ERROR',
  description: string,
  field: string | null = null,
): Answer {
  const isInput = status === 400
  return json(status, {
    error: {
      code,
      description,
      field,
      source: isInput ? 'business' : 'NA',
      step: isInput ? 'payment_initiation' : 'NA',
      reason: isInput ? 'input_validation_failed' : 'NA',
      metadata: {},
    },
  })
}
