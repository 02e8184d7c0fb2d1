/** The request is not possible. The message is for the operator. Nothing was changed. */
export class LedgerRefusal extends Error {
  override readonly name: string = 'LedgerRefusal'
}

/** The same source and id already belong to a different fact. */
export class LedgerConflict extends LedgerRefusal {
  override readonly name = 'LedgerConflict'
}
