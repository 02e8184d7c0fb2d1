import type { Logger } from 'pino'
import type { FileExaminer } from './adapters/file-examiner/file-examiner.ts'
import type { ObjectStorage } from './adapters/object-storage/object-storage.ts'
import type { PaymentGateway } from './adapters/payment-gateway/payment-gateway.ts'
import type { PdfWriter } from './adapters/pdf/pdf-writer.ts'
import type { VirusScanner } from './adapters/virus-scan/virus-scanner.ts'
import type { Caller, ClaimedSession } from './caller.ts'
import type { Clock } from './config/clock.ts'
import type { Config } from './config/config.ts'
import type { Database, Sql } from './database/connect.ts'
import type { Row } from './database/pipeline.ts'
import type { Bound } from './database/statement.ts'
import type { FailPoint } from './config/fail-points.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Metrics, Tracing } from './observability.ts'

/** The part of the context that functions on money use; the operator's tool has only this part. */
export type MoneyContext = Pick<Context, 'config' | 'clock' | 'database' | 'gateway' | 'jobs' | 'log' | 'failPoint'>

/** The dependencies of use cases. Created by serve.ts; tests create their own. */
export type Context = {
  config: Config
  clock: Clock
  database: Database
  gateway: PaymentGateway
  storage: ObjectStorage
  scanner: VirusScanner
  examiner: FileExaminer
  pdf: PdfWriter
  jobs: Jobs
  log: Logger
  metrics: Metrics
  tracing: Tracing
  /** Marks a named step; only tests inject failures there. */
  failPoint: FailPoint
  /** Reads the caller of a request; passed in, so that the HTTP layer knows no feature. */
  callers: CallerReader
}

/** Runs `work` when a slot of its key is free. */
export type LimitConcurrency = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Reads the caller of a request. `auth/read-caller.ts` implements it and documents its errors. */
export type CallerReader = {
  readCaller<T>(context: Context, authorization: string | undefined, then: (sql: Sql, caller: Caller, now: Date) => Promise<T>): Promise<T>
  readCallerWith(
    context: Context,
    asker: { authorization: string | undefined; scope: 'self' | 'borrower' | 'staff'; limit?: LimitConcurrency },
    statementsOf: (session: ClaimedSession) => readonly Bound<unknown>[],
  ): Promise<{ caller: Caller; rows: Row[][]; now: Date }>
}
