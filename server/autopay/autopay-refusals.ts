import { Failure } from '../http/failure.ts'

export const mandateExists = (): Failure =>
  new Failure('MandateExists', 'This loan has autopay already. Cancel it before you set up another.')

export const autopayNotOffered = (): Failure => new Failure('AutopayNotOffered', 'Autopay by this method is not on offer for the loan.')

export const mandateNotChangeable = (): Failure =>
  new Failure('MandateNotChangeable', 'Autopay cannot be changed like this in its present state.')

export const tooLateToChange = (): Failure =>
  new Failure('MandateNotChangeable', 'A debit is presented in less than an hour; autopay can be changed after it.')

export const collectionNotChangeable = (): Failure => new Failure('CollectionNotChangeable', 'This debit can no longer be changed.')

export const fieldInvalid = (field: string, detail: string): Failure => new Failure('AutopayFieldInvalid', detail, { field })
