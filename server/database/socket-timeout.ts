import type { Socket } from 'node:net'
import pg from 'pg'

/** The internals of the driver's client that are used here. */
type ClientInternals = { connection: { stream: Socket; once(event: 'readyForQuery', then: () => void): void }; readyForQuery: boolean }

/**
 * A client class that closes its connection when the database does not answer in time. A network
 * that drops packets reports no error, so a loop would otherwise wait for ever. The database ends
 * its own statements after their time limit; only a failed network takes longer.
 */
export function clientWithSocketTimeout(socketTimeoutMs: number): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const internals = this as unknown as ClientInternals
      internals.connection.once('readyForQuery', () => {
        // Only now is the stream final: TLS replaces it during the handshake.
        const { stream } = internals.connection
        stream.setTimeout(socketTimeoutMs, () => {
          if (!internals.readyForQuery) stream.destroy(new Error(`The database has not answered for ${socketTimeoutMs} ms`))
        })
      })
    }
  }
}

/** Added to the statement timeout: the time for its error to arrive. */
const answerMs = 2_000

export const socketTimeoutFor = (statementTimeoutMs: number): number => statementTimeoutMs + answerMs
