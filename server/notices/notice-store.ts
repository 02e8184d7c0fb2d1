import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { DB, NoticePreferences, Notices } from '../database/schema.generated.ts'
import { executeTogether, lockFound, statement } from '../database/statement.ts'
import type { LoanRow } from '../loans/loan-store.ts'

export type NoticeRow = Selectable<Notices>
/** The columns that the API shows. */
export type ShownNotice = Pick<
  NoticeRow,
  'notice_id' | 'kind' | 'created_at' | 'read_at' | 'lan' | 'amount_paise' | 'about_on' | 'payment_link_id' | 'subject' | 'sms'
> & { is_new: boolean }
export type PreferencesRow = Selectable<NoticePreferences>

const noticesMax = 100

/** Null without a first sign-in: nothing is new then. */
const isNew = (row: ExpressionBuilder<Pick<DB, 'notices' | 'users'>, 'notices' | 'users'>) =>
  row.and([row('notices.read_at', 'is', null), row('notices.created_at', '>=', row.ref('users.first_signed_in_at'))])

/** The borrower's latest notices, newest first. */
export const newestNotices = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('notices')
    .innerJoin('users', 'users.user_id', 'notices.borrower_id')
    .select(['notice_id', 'notices.kind', 'notices.created_at', 'read_at', 'lan', 'amount_paise', 'about_on', 'payment_link_id'])
    .select(['subject', 'sms'])
    .select((row) => row.fn.coalesce(isNew(row), row.lit(false)).$castTo<boolean>().as('is_new'))
    .where('notices.borrower_id', '=', borrowerId)
    .orderBy('notices.created_at', 'desc')
    .orderBy('notice_id', 'desc')
    .limit(noticesMax),
)

/** One row with the number of unread notices. */
export const unreadNotices = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('notices')
    .innerJoin('users', 'users.user_id', 'notices.borrower_id')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('notices.borrower_id', '=', borrowerId)
    .where(isNew),
)

export async function countUnread(sql: Sql, borrowerId: string): Promise<number> {
  const [[row]] = await executeTogether(sql, [unreadNotices.with({ borrowerId })])
  return Number(row?.count)
}

/**
 * Marks notices as read.
 *
 * @param which `noticeIds`: these only; `upTo`: only this one and older ones. Null: all.
 */
export async function markRead(
  sql: Sql,
  borrowerId: string,
  { noticeIds, upTo }: { noticeIds: readonly string[] | null; upTo: string | null },
  now: Date,
): Promise<void> {
  if (noticeIds?.length === 0) return
  await sql
    .updateTable('notices')
    .set({ read_at: now })
    .where('borrower_id', '=', borrowerId)
    .where('read_at', 'is', null)
    .$if(noticeIds !== null, (query) => query.where('notice_id', 'in', [...(noticeIds ?? [])]))
    .$if(upTo !== null, (query) =>
      query.where('created_at', '<=', ({ selectFrom }) =>
        selectFrom('notices as shown')
          .select('shown.created_at')
          .where('shown.borrower_id', '=', borrowerId)
          .where('shown.notice_id', '=', upTo),
      ),
    )
    .execute()
}

/** The text messages that a borrower wants: one row, or none if the borrower chose nothing. */
export const preferencesOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('notice_preferences')
    .select(['borrower_id', 'language', 'sms_due_soon', 'sms_payments', 'sms_tranches'])
    .where('borrower_id', '=', borrowerId),
)

export async function savePreferences(sql: Sql, preferences: PreferencesRow): Promise<void> {
  const { borrower_id: _key, ...chosen } = preferences
  await sql
    .insertInto('notice_preferences')
    .values(preferences)
    .onConflict((conflict) => conflict.column('borrower_id').doUpdateSet(chosen))
    .execute()
}

/** The notices with a waiting text message, the oldest first. */
export const selectWaitingTexts = (sql: Sql, limit: number) =>
  selectWaiting(sql).select(['borrower_id', 'notice_id']).orderBy('created_at').limit(limit)

const selectWaiting = (sql: Sql) => sql.selectFrom('notices').where('sms', '=', 'waiting')

/**
 * Locks notices that were found with a waiting text message and reads their phones; skips those
 * that another worker has locked.
 */
export async function lockWaitingTexts(
  sql: Sql,
  found: readonly Pick<NoticeRow, 'borrower_id' | 'notice_id'>[],
): Promise<(NoticeRow & { phone: string; disabled_at: Date | null })[]> {
  const locked = await lockFound(sql, found, ({ borrower_id, notice_id }) =>
    selectWaiting(sql).selectAll().where('borrower_id', '=', borrower_id).where('notice_id', '=', notice_id),
  )
  if (locked.length === 0) return []
  const people = await sql
    .selectFrom('users')
    .select(['user_id', 'phone', 'disabled_at'])
    .where(
      'user_id',
      'in',
      locked.map(({ borrower_id }) => borrower_id),
    )
    .execute()
  const byId = new Map(people.map((person) => [person.user_id, person]))
  return locked.flatMap((notice) => {
    const person = byId.get(notice.borrower_id)
    return person ? [{ ...notice, phone: person.phone, disabled_at: person.disabled_at }] : []
  })
}

/**
 * Why a text message is not sent. `unwanted`: the borrower has disabled this kind, or need not read
 * this notice at once. `no_template`: no template is registered. `too_late`: no worker ran in time.
 */
export type UnsentText = 'unwanted' | 'no_template' | 'too_late'

export async function markText(
  sql: Sql,
  notice: Pick<NoticeRow, 'borrower_id' | 'notice_id'>,
  sms: 'queued' | UnsentText,
  now: Date,
): Promise<void> {
  await sql
    .updateTable('notices')
    .set({ sms, sms_at: now })
    .where('borrower_id', '=', notice.borrower_id)
    .where('notice_id', '=', notice.notice_id)
    .execute()
}

/** A due date, and the due days of a month that fall on it. */
export type DueDate = { dueOn: LoanRow['first_due_date']; dueDays: readonly number[] }

/** Loans with one of the due days, or with their first due date on the day. */
const mayBeDue =
  ({ dueOn, dueDays }: DueDate) =>
  (where: ExpressionBuilder<DB, 'loans'>) =>
    where.or([where('due_day', 'in', [...dueDays]), where('first_due_date', '=', dueOn)])

/** Finds the next borrowers, in key order, with loans that may fall due on a date. */
export async function findBorrowersDueOn(sql: Sql, due: DueDate, afterBorrowerId: string, limit: number): Promise<string[]> {
  const borrowers = await sql
    .selectFrom('loans')
    .select('borrower_id')
    .distinct()
    .where(mayBeDue(due))
    .where('borrower_id', '>', afterBorrowerId)
    .orderBy('borrower_id')
    .limit(limit)
    .execute()
  return borrowers.map(({ borrower_id }) => borrower_id)
}

/**
 * Finds the loans of borrowers that may fall due on a date. The schedule then decides whether an
 * instalment falls due.
 */
export async function findLoansDueOn(sql: Sql, due: DueDate, borrowerIds: readonly string[]): Promise<LoanRow[]> {
  if (borrowerIds.length === 0) return []
  return sql
    .selectFrom('loans')
    .selectAll()
    .where(mayBeDue(due))
    .where('borrower_id', 'in', [...borrowerIds])
    .orderBy('borrower_id')
    .execute()
}
