import type { Socket } from 'node:net'
import pg from 'pg'

/** The inside of the driver's client that is used here. */
type Inside = { connection: { stream: Socket; once(event: 'readyForQuery', then: () => void): void }; readyForQuery: boolean }

/**
 * A connection that is given up when the database owes it an answer and nothing comes. A network that swallows packets tells
 * nobody: without this, a loop that waits for such an answer waits for ever. The database ends its own statements
 * after their time limit, so only a silent network ever takes longer.
 */
export function clientWithSocketTimeout(socketTimeoutMs: number): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const inside = this as unknown as Inside
      inside.connection.once('readyForQuery', () => {
        // Only now is the stream the one that stays: TLS puts another in its place.
        const { stream } = inside.connection
        stream.setTimeout(socketTimeoutMs, () => {
          if (!inside.readyForQuery) stream.destroy(new Error(`The database has not answered for ${socketTimeoutMs} ms`))
        })
      })
    }
  }
}

/** Beyond the time limit of a statement: the answer that it was exceeded is on its way. */
const answerMs = 2_000

export const socketTimeoutFor = (statementTimeoutMs: number): number => statementTimeoutMs + answerMs
