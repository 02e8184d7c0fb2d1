import type { OperationRefusal } from '#domain/operations.ts'

/**
 * The request is not possible. The message is for the operator; the reason, if there is one, is for
 * staff, whose screens have a sentence for it in their language. Nothing was changed.
 */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  readonly reason: OperationRefusal | null
  constructor(message: string, reason: OperationRefusal | null = null) {
    super(message)
    this.reason = reason
  }
}
