import type { OperationInput, PreviewSide } from '#contract/operation-kinds.ts'
import type { AutopayRules } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { RecordOperationKind } from '#domain/operations.ts'
import { percentToPpb, ppbToPercent } from '#domain/rates.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { findLoanKey, readLoan } from '../loans/loan-store.ts'
import { findPaper, publishPaper, type PaperRow } from '../loan-papers/paper-store.ts'
import { addNotice } from '../add-notice.ts'
import { noBorrowerId, resolveReview } from '../payments/review-store.ts'
import { listBenchmarkRates } from '../rate-resets/benchmark-store.ts'
import { publishBenchmark } from '../rate-resets/publish-benchmark.ts'
import { preparePreview, readPreview } from '../rate-resets/preview-run.ts'
import { requestRun } from '../rate-resets/request-run.ts'
import { refused } from './refusals.ts'
import { lockReviewOf, reviewRecords } from './run-on-review.ts'
import type { Subject } from './subject.ts'

type RecordWork = { sql: Sql; now: Date; subject: Subject }

/** The record before and after; the detail is for the access log. */
type RecordEffect = {
  before: PreviewSide
  after: PreviewSide
  amountPaise: Paise | null
  detail: Readonly<Record<string, string>>
}

/** A kind whose preview is the record before and after. It changes no loan. */
type RecordKind<Kind extends RecordOperationKind> = {
  /** The input field that a refusal is about. */
  field: string
  /**
   * What the preview needs before its transaction. Absent: nothing.
   *
   * @throws LedgerRefusal if the operation is not possible, or Failure PreviewInProgress.
   */
  prepare?(context: Pick<Context, 'database' | 'clock'>, input: OperationInput<Kind>): Promise<void>
  /** Locks the record; an execution does so before it checks who acts. Absent: nothing to lock. */
  lock?(sql: Sql, input: OperationInput<Kind>): Promise<unknown>
  /** @throws Failure NotFound, or ProposalRefused if the loan is not named. */
  findSubject(sql: Sql, input: OperationInput<Kind>, lan: string | undefined): Promise<Subject>
  /**
   * Reads the record under its row lock.
   *
   * @throws LedgerRefusal or Failure ProposalRefused if the operation is not possible.
   */
  preview(work: RecordWork & { rules: AutopayRules }, input: OperationInput<Kind>): Promise<RecordEffect>
  execute(work: RecordWork & { actorId: string }, input: OperationInput<Kind>): Promise<void>
}

const nobody: Subject = { borrowerId: noBorrowerId, loanId: null, lan: null }

/** Every kind of proposal that changes no loan. */
export const recordKinds: { [Kind in RecordOperationKind]: RecordKind<Kind> } = {
  review_resolve: {
    field: 'input.review_id',
    lock: lockReviewOf,
    async findSubject(sql, input) {
      const { borrower_id: borrowerId, loan_id: loanId } = await lockReviewOf(sql, input)
      return { borrowerId, loanId, lan: loanId === null ? null : (await readLoan(sql, borrowerId, loanId)).lan }
    },
    async preview({ sql }, input) {
      const review = await lockReviewOf(sql, input)
      const detail = { review: review.review_id, kind: review.kind, resolution: input.resolution }
      return { ...reviewRecords(review, input), amountPaise: null, detail }
    },
    async execute({ sql, now, actorId }, input) {
      await resolveReview(sql, await lockReviewOf(sql, input), actorId, input.resolution, now)
    },
  },
  benchmark_publish: {
    field: 'input.effective_on',
    findSubject: async () => nobody,
    async preview({ sql }, { code, annual_rate_percent: percent, effective_on: effectiveOn }) {
      const rates = await listBenchmarkRates(sql, code)
      if (rates.some((rate) => rate.effectiveOn === effectiveOn))
        throw refused(
          'input.effective_on',
          `${code} has a rate of ${effectiveOn} already, and a published rate never changes.`,
          'rate_published',
        )
      const earlier = rates.findLast((rate) => rate.effectiveOn < effectiveOn)
      return {
        before: {
          benchmark: code,
          annual_rate_percent: earlier ? ppbToPercent(earlier.annualRatePpb) : null,
          effective_on: earlier?.effectiveOn ?? null,
        },
        after: { benchmark: code, annual_rate_percent: percent, effective_on: effectiveOn },
        amountPaise: null,
        detail: { benchmark: code, annual_rate_percent: String(percent), effective_on: effectiveOn },
      }
    },
    execute: ({ sql, now, actorId }, { code, annual_rate_percent: percent, effective_on: effectiveOn }) =>
      publishBenchmark(sql, { code, annualRatePpb: percentToPpb(percent), effectiveOn }, now, actorId),
  },
  rate_reset_run: {
    field: 'input.effective_on',
    findSubject: async () => nobody,
    prepare: (context, { benchmark, effective_on: effectiveOn }) => preparePreview(context, { benchmark, effectiveOn }),
    async preview({ sql, now, rules }, { benchmark, effective_on: effectiveOn }) {
      const figures = await readPreview(sql, { benchmark, effectiveOn }, { now, rules })
      const none = {
        as_of: dayInIndia(now),
        benchmark,
        effective_on: effectiveOn,
        annual_rate_percent: figures.annualRatePpb === null ? null : ppbToPercent(figures.annualRatePpb),
        loans_read: figures.loansRead,
        loans_reset: 0,
        emis_raised: 0,
        caps_exceeded: 0,
        largest_emi_rise: null,
        largest_emi_rise_lan: null,
      }
      const after = {
        ...none,
        loans_reset: figures.loans,
        emis_raised: figures.emisRaised,
        caps_exceeded: figures.capsExceeded,
        largest_emi_rise: figures.largestRisePaise,
        largest_emi_rise_lan: figures.largestRiseLan,
      }
      return { before: none, after, amountPaise: null, detail: { benchmark, effective_on: effectiveOn, loans: String(figures.loans) } }
    },
    async execute({ sql, now, actorId }, { benchmark, effective_on: effectiveOn }) {
      await requestRun(sql, { benchmark, effectiveOn }, now, actorId)
    },
  },
  paper_publish: {
    field: 'input.paper_id',
    async findSubject(sql, { paper_id: paperId }, lan) {
      const key = lan === undefined ? undefined : await findLoanKey(sql, lan)
      if (lan === undefined) throw refused('lan', 'lan is missing: paper_publish is about a loan.', 'input_invalid')
      const paper = key && (await findPaper(sql, key.borrowerId, paperId))
      if (!key || paper?.loan_id !== key.loanId) throw notFound()
      return { ...key, lan }
    },
    async preview({ sql, subject }, { paper_id: paperId }) {
      const paper = await findPaper(sql, subject.borrowerId, paperId)
      if (!paper) throw notFound()
      if (paper.published_at !== null) throw refused('input.paper_id', 'This paper was published before.', 'paper_published')
      const { sha256, ...record } = recordOf(paper)
      return {
        before: { ...record, sha256, paper_state: 'waiting' },
        after: { ...record, sha256, paper_state: 'published' },
        amountPaise: null,
        detail: { paper: record.paper, paper_id: paperId, sha256 },
      }
    },
    async execute({ sql, now, actorId, subject }, { paper_id: paperId }) {
      const published = await publishPaper(sql, subject.borrowerId, paperId, { at: now, by: actorId })
      if (!published) throw refused('input.paper_id', 'The loan has this paper already.', 'paper_published')
      const notice = {
        borrowerId: subject.borrowerId,
        about: `paper:${paperId}`,
        kind: 'paper_published',
        subject: published.filename,
      } as const
      await addNotice(sql, { ...notice, ...(subject.lan !== null && { lan: subject.lan }) }, now)
    },
  },
}

const recordOf = ({ paper_id, paper, filename, size_bytes, sha256 }: PaperRow) => ({
  paper_id,
  paper,
  filename,
  size_bytes: Number(size_bytes),
  sha256: sha256.toString('hex'),
})
