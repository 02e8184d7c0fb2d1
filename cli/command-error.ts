/** Why a command could not do what it was asked for. Its message is one line, for the operator. */
export class KistError extends Error {
  override readonly name = 'KistError'
}
