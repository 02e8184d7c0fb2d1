import type pg from 'pg'
import { hasPrepared, isChangedPlanError, isPreparedStatementError, sendPipeline, sendPipelines, type Row } from './pipeline.ts'
import { createReadBatches } from './read-batches.ts'
import type { Bound, OnStatement } from './statement.ts'

/** The statements of a read, in order: one round trip and one transaction. */
type Statements = readonly Bound<unknown>[]

type ReadPipeline = {
  /** @returns the rows of each statement. */
  run(statements: Statements): Promise<Row[][]>
  /** As `run`, in one message with the reads that wait at the same time (read-batches.ts). */
  runInBatch(statements: Statements): Promise<Row[][]>
  /** How many reads wait for a batch, besides one for each connection that is being taken. */
  waiting(): number
}

/** The reads of requests in one process, see {@link createReadBatches}. */
const readBatchLimits = { atOnce: 2, readsMax: 8, slowMs: 25, quickFailureMs: 2_000 }

/**
 * Sends reads as pipelines on connections of the pool. A read whose prepared statements a
 * connection does not know is sent once more, without names.
 */
export function createReadPipeline(pool: pg.Pool, types: pg.CustomTypesConfig, onStatement?: OnStatement): ReadPipeline {
  // Becomes false when a pooler gives each transaction another connection.
  let usesNamedStatements = true
  const toPipeline = (statements: Statements, isNamed = usesNamedStatements) =>
    statements.map(({ statement: { name, text }, values }) => ({ name: isNamed ? name : null, text, values }))

  const runAlone = async (statements: Statements, isNamed = usesNamedStatements): Promise<Row[][]> => {
    const client = await pool.connect()
    let isBroken = true
    try {
      const results = await sendPipeline(client, types, toPipeline(statements, isNamed))
      isBroken = false
      return results.map(({ rows }) => rows)
    } finally {
      client.release(isBroken)
    }
  }

  const batches = createReadBatches(async () => {
    const client = await pool.connect()
    return {
      hasPrepared: (statements) =>
        usesNamedStatements &&
        hasPrepared(
          client,
          statements.map(({ statement: { name } }) => name),
        ),
      send: (reads, answered) =>
        sendPipelines(
          client,
          types,
          reads.map((read) => toPipeline(read)),
          (index, results) =>
            answered(
              index,
              results.map(({ rows }) => rows),
            ),
        ),
      release: (isBroken) => client.release(isBroken),
    }
  }, readBatchLimits)

  const runOrRepeat = async (
    statements: Statements,
    run: (statements: Statements) => Promise<Row[][]>,
    isRetry = false,
  ): Promise<Row[][]> => {
    const startedAt = performance.now()
    let failed = true
    try {
      const rows = await run(statements)
      failed = false
      return rows
    } catch (error) {
      if (isRetry || !isPreparedStatementError(error)) throw error
      // A changed column concerns only connections that prepared the statement before, each once.
      if (!isChangedPlanError(error)) usesNamedStatements = false
    } finally {
      for (const { statement } of onStatement ? statements : [])
        onStatement?.({ text: statement.text, milliseconds: performance.now() - startedAt, failed })
    }
    return runOrRepeat(statements, (again) => runAlone(again, false), true)
  }

  return {
    run: (statements) => runOrRepeat(statements, runAlone),
    // Without names, behind a pooler, a batch would carry one read.
    runInBatch: (statements) => runOrRepeat(statements, usesNamedStatements ? batches.run : runAlone),
    waiting: batches.waiting,
  }
}
