import { dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import type { BulkTransaction } from '#server/database/bulk.ts'
import type { Sql } from '#server/database/connect.ts'
import type { Book, BookApplication, BookStage } from './book.ts'
import { refuseFutureDay } from './faults.ts'
import { borrowerOf, type Known } from './known.ts'
import { applicationsOfBorrowers, moveApplication, stagesOfBorrowers } from './store.ts'

/** The new and changed applications of a book. */
export type ApplicationPlan = {
  fresh: { borrowerId: string; application: BookApplication }[]
  /**
   * Known applications with another pending step or that are closed: no other record of a book may
   * change.
   */
  moved: { borrowerId: string; application: BookApplication }[]
  stages: { borrowerId: string; stage: BookStage }[]
}

/** Compares a book's applications and their stages with the database. */
export async function planApplications(sql: Sql, book: Book, known: Known): Promise<void> {
  const there = new Map(
    (await applicationsOfBorrowers(sql, known.knownBorrowerIds)).map((row) => [`${row.borrower_id} ${row.application_id}`, row]),
  )
  const { fresh, moved } = known.plan.applications
  for (const application of book.applications.values()) {
    const { line, closedOn } = application
    refuseFutureDay(known.faults, known.now, application)
    if (closedOn !== null) refuseFutureDay(known.faults, known.now, { line, date: closedOn }, 'closed_on')
    if (closedOn !== null && closedOn < application.date)
      known.faults.add(line, 'closed_on', `${closedOn} is before the application, ${application.date}`)
    const borrowerId = borrowerOf(known, book, application)
    if (borrowerId === null) continue
    const row = there.get(`${borrowerId} ${application.applicationId}`)
    if (row === undefined) fresh.push({ borrowerId, application })
    else if (dayInIndia(row.submitted_at) !== application.date)
      known.faults.add(line, 'application_id', `application ${application.applicationId} is stored with another date`)
    else if (row.awaited.join(' ') === application.awaited.join(' ') && (closedOn === null || row.closed_at !== null))
      known.plan.unchanged += 1
    else moved.push({ borrowerId, application })
  }
  const dates = new Map([...there].map(([key, { submitted_at: at }]) => [key, dayInIndia(at)]))
  for (const { borrowerId, application } of fresh) dates.set(`${borrowerId} ${application.applicationId}`, application.date)
  await planStages(sql, book, known, dates)
}

/** @param applications the date of each application. */
async function planStages(sql: Sql, book: Book, known: Known, applications: ReadonlyMap<string, Day>): Promise<void> {
  const there = new Map(
    (await stagesOfBorrowers(sql, known.knownBorrowerIds)).map((row) => [
      `${row.borrower_id} ${row.application_id} ${row.stage}`,
      row.done_on,
    ]),
  )
  for (const stage of book.stages.values()) {
    const { line, applicationId, date } = stage
    refuseFutureDay(known.faults, known.now, stage)
    const borrowerId = borrowerOf(known, book, stage)
    if (borrowerId === null) continue
    const doneOn = there.get(`${borrowerId} ${applicationId} ${stage.stage}`)
    const appliedOn = applications.get(`${borrowerId} ${applicationId}`)
    if (appliedOn === undefined) {
      // The fault of the application's own line is reported there.
      if (!book.applications.faulty.has(`${stage.phone} ${applicationId}`))
        known.faults.add(line, 'application_id', `there is no application ${applicationId} of this borrower`)
    } else if (date < appliedOn) known.faults.add(line, 'date', `${date} is before the application, ${appliedOn}`)
    else if (doneOn === undefined) known.plan.applications.stages.push({ borrowerId, stage })
    else if (doneOn === date) known.plan.unchanged += 1
    else known.faults.add(line, 'stage', `stage ${stage.stage} of application ${applicationId} is stored with another date`)
  }
}

export async function writeApplications({ copy, sql }: BulkTransaction, { fresh, moved, stages }: ApplicationPlan): Promise<void> {
  await copy(
    'loan_applications',
    ['borrower_id', 'application_id', 'submitted_at', 'awaited', 'closed_at'],
    fresh.map(({ borrowerId, application }) => [
      borrowerId,
      application.applicationId,
      noonOf(application.date).toISOString(),
      `{${application.awaited.join(',')}}`,
      application.closedOn && noonOf(application.closedOn).toISOString(),
    ]),
  )
  await copy(
    'application_stages',
    ['borrower_id', 'application_id', 'stage', 'done_on'],
    stages.map(({ borrowerId, stage }) => [borrowerId, stage.applicationId, stage.stage, stage.date]),
  )
  for (const { borrowerId, application } of moved) {
    const { applicationId, awaited, closedOn } = application
    await moveApplication(sql, borrowerId, applicationId, { awaited, closedAt: closedOn && noonOf(closedOn) })
  }
}

/** The borrowers with new or changed applications. */
export const applicantsOf = ({ fresh, moved, stages }: ApplicationPlan): string[] =>
  [...fresh, ...moved, ...stages].map(({ borrowerId }) => borrowerId)

/** The instant that represents a day without a known time. */
const noonOf = (day: Day): Date => new Date(startOfDayInIndiaMs(day) + 12 * hourMs)
