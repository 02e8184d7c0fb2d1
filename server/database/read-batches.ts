import type { Row } from './pipeline.ts'
import type { Bound } from './statement.ts'

/** The statements of a read: one transaction. */
type Statements = readonly Bound<unknown>[]

/** A connection that is taken for one batch. */
export type BatchConnection = {
  /** Whether the connection has prepared all statements. */
  hasPrepared(statements: Statements): boolean
  /**
   * Sends reads in one message and reports the rows of each as they arrive. Rejects with the error
   * of the first read that fails; those after it have not been answered.
   */
  send(reads: readonly Statements[], answered: (index: number, rows: Row[][]) => void): Promise<void>
  release(isBroken: boolean): void
}

type ReadBatches = {
  run(statements: Statements): Promise<Row[][]>
  /** How many reads wait, besides one for each connection that is being taken. */
  waiting(): number
}

type Waiting = {
  statements: Statements
  resolve(rows: Row[][]): void
  reject(error: unknown): void
}

/**
 * Sends the reads that wait at the same time together, in order of arrival. PostgreSQL answers more
 * of them in the same time: few of its processes compete for a processor and for its caches, and
 * neither side is woken for each read (docs/benchmarks.md). A batch that has run for `slowMs` lets
 * the next one start, so that slow reads delay few others. Reads that may wait for locks are not
 * for batches.
 *
 * @param limits how many batches run at once, the most reads of one, when one is slow, and how long
 * a read takes at most to fail alone.
 */
export function createReadBatches(
  connect: () => Promise<BatchConnection>,
  { atOnce, readsMax, slowMs, quickFailureMs }: { atOnce: number; readsMax: number; slowMs: number; quickFailureMs: number },
): ReadBatches {
  const waiting: Waiting[] = []
  let free = atOnce
  let connecting = 0

  const startNext = () => {
    if (free > 0 && waiting.length > 0) void runBatch()
  }
  const runBatch = async () => {
    free -= 1
    const connection = await takeConnection()
    let holdsTurn = true
    const endTurn = () => {
      if (holdsTurn) free += 1
      holdsTurn = false
      startNext()
    }
    const slow = setTimeout(endTurn, slowMs)
    if (connection) connection.release(!(await answerBatch(connection, takeBatch(connection))))
    clearTimeout(slow)
    endTurn()
  }

  /** Takes a connection. If there is none, the reads that have waited for it fail; null. */
  const takeConnection = async (): Promise<BatchConnection | null> => {
    const last = waiting.at(-1)
    connecting += 1
    try {
      return await connect()
    } catch (error) {
      const count = last ? waiting.indexOf(last) + 1 : 0
      for (const read of waiting.splice(0, count)) read.reject(error)
      return null
    } finally {
      connecting -= 1
    }
  }

  /** Statements that are prepared now go alone: reads after them would have to know the outcome. */
  const takeBatch = (connection: BatchConnection): Waiting[] => {
    const firstAlone = waiting.findIndex(({ statements }) => !connection.hasPrepared(statements))
    const count = firstAlone === -1 ? readsMax : Math.max(1, Math.min(firstAlone, readsMax))
    return waiting.splice(0, count)
  }

  /**
   * Answers a batch. After a read that fails, those behind it wait again. If it took long to fail,
   * the database is slow or gone: they fail with it, instead of one after the other.
   */
  const answerBatch = async (connection: BatchConnection, batch: readonly Waiting[]): Promise<boolean> => {
    if (batch.length === 0) return true
    let answered = 0
    let lastAnswerMs = performance.now()
    try {
      await connection.send(
        batch.map(({ statements }) => statements),
        (index, rows) => {
          answered = index + 1
          lastAnswerMs = performance.now()
          batch[index]?.resolve(rows)
        },
      )
      return true
    } catch (error) {
      batch[answered]?.reject(error)
      const rest = batch.slice(answered + 1)
      if (performance.now() - lastAnswerMs <= quickFailureMs) waiting.unshift(...rest)
      else for (const read of rest) read.reject(error)
      return false
    }
  }

  return {
    run: (statements) =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, resolve, reject })
        startNext()
      }),
    waiting: () => Math.max(0, waiting.length - connecting),
  }
}
