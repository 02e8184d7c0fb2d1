import { afterEach, expect, test, vi } from 'vitest'
import { readOngoingApplication } from '#contract/applications.ts'
import { login, readPermissions } from '#contract/auth.ts'
import { readDocuments } from '#contract/documents.ts'
import { readLoansSummary, readRepaymentSchedule } from '#contract/loans.ts'
import { readNoticePreferences, readNotices } from '#contract/notices.ts'
import { countOperations, findOperationsLoans, readOperationsQueue, readOperationsReviews } from '#contract/operations.ts'
import { readCompletedPayments, readOngoingPayment } from '#contract/payments.ts'
import { listSessions } from '#contract/sessions.ts'
import { listUsers } from '#contract/staff.ts'
import { readStaffAccess } from '#contract/staff-access.ts'
import { readTranches } from '#contract/tranches.ts'
import { earlyAnswersName, earlyPaths, takeEarlyAnswer } from './early-answers.ts'

const url = 'GET /api/v1/portal/loans-summary'
const answer = Promise.resolve(new Response('{}'))

function ask(token: string): void {
  vi.stubGlobal(earlyAnswersName, { token, freshUntilMs: Date.now() + 30_000, answers: new Map([[url, answer]]) })
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('an early answer is taken once', () => {
  ask('a')
  expect(takeEarlyAnswer(url, 'a')).toBe(answer)
  expect(takeEarlyAnswer(url, 'a')).toBeNull()
})

test("nobody gets an answer to another's token, or to another address", () => {
  ask('a')
  expect(takeEarlyAnswer('GET /api/v1/portal/documents', 'a')).toBeNull()
  expect(takeEarlyAnswer(url, 'b')).toBeNull()
  expect(takeEarlyAnswer(url, 'a')).toBeNull()
})

test('an answer that was not taken soon is asked for again', () => {
  vi.useFakeTimers()
  ask('a')
  vi.advanceTimersByTime(30_000)
  expect(takeEarlyAnswer(url, 'a')).toBeNull()
})

test('nothing was asked for early', () => {
  expect(takeEarlyAnswer(url, 'a')).toBeNull()
})

test('the early addresses are those of the contract', () => {
  expect(earlyPaths).toEqual({
    login: login.path,
    permissions: readPermissions.path,
    operationsCounts: countOperations.path,
    operationsQueue: readOperationsQueue.path,
    operationsLoans: findOperationsLoans.path,
    operationsReviews: readOperationsReviews.path,
    loans: readLoansSummary.path,
    schedule: readRepaymentSchedule.path,
    ongoing: readOngoingPayment.path,
    completed: readCompletedPayments.path,
    tranches: readTranches.path,
    documents: readDocuments.path,
    notices: readNotices.path,
    application: readOngoingApplication.path,
    users: listUsers.path,
    staffAccess: readStaffAccess.path,
    sessions: listSessions.path,
    noticePreferences: readNoticePreferences.path,
  })
})
