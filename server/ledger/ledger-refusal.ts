/** What was asked for cannot be: a sentence for the operator. Nothing was changed. */
export class LedgerRefusal extends Error {
  override readonly name: string = 'LedgerRefusal'
}

/** The same source and id stand for something else already. */
export class LedgerConflict extends LedgerRefusal {
  override readonly name = 'LedgerConflict'
}
