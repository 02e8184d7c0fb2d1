import { sql } from 'kysely'
import { assumeRole } from '#contract/permissions.ts'
import { addDays, addMonths, dayInIndia, dayOfMonth, type Day } from '#domain/calendar.ts'
import { failingPhone } from '#server/adapters/sms/outbox.ts'
import { withinTransaction, type Database } from '#server/database/connect.ts'
import type { ObjectStorage } from '#server/adapters/object-storage/object-storage.ts'
import { addLoan, addPerson, addProduct, educationLoan, nextFifth, type AddedLoan } from './builders.ts'
import { addDemoDocuments } from './demo-documents.ts'
import { demoPhone } from './demo-phone.ts'
import { addFloatingProduct, publishRate, resetRates } from './floating-loan.ts'
import { payInstalments, payTwice } from './paid-history.ts'
import { addTrancheBorrower } from './tranche-borrower.ts'

export { demoPhone } from './demo-phone.ts'

/** The phones of the demo's people, and what their accounts show. */
export const demoPeople: readonly { phone: string; story: string }[] = [
  { phone: demoPhone(1), story: 'one active education loan in three tranches, one of them approved and not yet paid out' },
  { phone: demoPhone(2), story: 'two loans: one overdue by 12 days with a late charge, one closed' },
  { phone: demoPhone(3), story: 'an application on its way, no loan yet' },
  { phone: demoPhone(4), story: 'a closed loan, its last instalment paid twice and refunded once' },
  { phone: demoPhone(5), story: 'overdue by 45 days, e-mail not verified' },
  { phone: demoPhone(6), story: 'no loan at all' },
  { phone: demoPhone(7), story: 'an active loan without lead id, no PAN on file' },
  { phone: demoPhone(8), story: 'staff who may see the user list but act as nobody' },
  { phone: demoPhone(9), story: 'support staff who may act as a borrower' },
  { phone: demoPhone(10), story: 'a disabled borrower: cannot sign in' },
  { phone: demoPhone(11), story: 'an active loan too large to be paid off by one link' },
  { phone: demoPhone(12), story: 'operations staff who propose' },
  { phone: demoPhone(13), story: 'operations staff who approve what another proposed' },
  { phone: demoPhone(14), story: 'an active floating loan whose new rate is announced, with a choice to make' },
  { phone: demoPhone(15), story: 'an active loan with UPI Autopay, its next instalment due in four days' },
  { phone: demoPhone(16), story: 'an active loan without autopay, its next instalment due in five days' },
  { phone: failingPhone, story: 'a borrower whose text messages are never sent' },
]

/** Key of the advisory lock for seeding. */
const seedLockKey = 7_104_212

/**
 * Seeds the demo town into an empty database in one transaction. Of two portals that start at
 * once one does it.
 *
 * @returns true if this call seeded it.
 */
export function seedEmptyDatabase(database: Database, now: Date, storage: ObjectStorage): Promise<boolean> {
  return database.asSystem(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${seedLockKey})`.execute(transaction)
    const anyUser = await transaction.selectFrom('users').select('user_id').limit(1).executeTakeFirst()
    if (!anyUser) await seedDemoTown(withinTransaction(transaction), now, storage)
    return !anyUser
  })
}

/**
 * Fills an empty database with the demo town. Dates are relative to today, so that it is the same
 * on any day.
 */
export async function seedDemoTown(database: Database, now: Date, storage: ObjectStorage): Promise<void> {
  const today = dayInIndia(now)
  await addProduct(database, now, 'education', educationLoan)
  const student = await addTrancheBorrower(database, now, nextFifth(today))
  await addDemoDocuments(database, storage, student, now)
  await addBorrowerWithTwoLoans(database, now, today)
  await addApplicant(database, now)
  await addBorrowerWhoRepaid(database, now, today)
  await addLateBorrower(database, now, today)
  await addPerson(database, now, {
    phone: demoPhone(6),
    firstName: 'Farhan',
    lastName: 'Sheikh',
    email: 'farhan.sheikh@example.in',
    emailVerified: true,
    pan: 'AFZPS6120F',
  })
  await addBorrowerWithoutLeadId(database, now, today)
  await addStaff(database, now)
  await addPerson(database, now, {
    phone: demoPhone(10),
    firstName: 'Jyoti',
    lastName: 'Nair',
    email: 'jyoti.nair@example.in',
    pan: 'AJTPN4410J',
    disabled: true,
  })
  await addBorrowerPastTheLinkLimit(database, now, today)
  await addFloatingBorrower(database, now, today)
  await addBorrowersForAutopay(database, now, today)
  await addPerson(database, now, { phone: failingPhone, firstName: 'Lata', lastName: 'Pillai', email: 'lata.pillai@example.in' })
}

/** Adds a loan whose next instalment is due on `nextDue`, with `paid` instalments paid on time. */
async function addRunningLoan(
  database: Database,
  now: Date,
  borrowerId: string,
  loan: {
    lan: string
    leadId?: string | null
    title: string
    product?: string
    sanctionedRupees: number
    disbursedRupees: number
    ratePercent: number
    instalments: number
    nextDue: Day
    paid: number
  },
): Promise<AddedLoan> {
  const dueDay = dayOfMonth(loan.nextDue)
  const firstDueDate = addMonths(loan.nextDue, -loan.paid, dueDay)
  const key = await addLoan(database, now, borrowerId, {
    lan: loan.lan,
    leadId: loan.leadId === undefined ? `LEAD-${loan.lan.slice(-6)}` : loan.leadId,
    partnerLoanId: `PL-${loan.lan.slice(-6)}`,
    title: loan.title,
    ...(loan.product !== undefined && { product: loan.product }),
    sanctionedRupees: loan.sanctionedRupees,
    disbursals: [{ date: addMonths(firstDueDate, -1, dueDay), rupees: loan.disbursedRupees }],
    annualRatePercent: loan.ratePercent,
    instalments: loan.instalments,
    firstDueDate,
    dueDay,
  })
  await payInstalments(database, key, loan.paid)
  return key
}

/** Adds two loans for autopay; `addDemoMandate` adds the mandate of the first one later. */
async function addBorrowersForAutopay(database: Database, now: Date, today: Day): Promise<void> {
  const people = [
    {
      number: 15,
      firstName: 'Pallavi',
      lastName: 'Bhosale',
      pan: 'OMKPB1515O',
      lan: 'KST-25-015015',
      title: 'B.Ed., 2025 to 2027',
      dueInDays: 4,
    },
    {
      number: 16,
      firstName: 'Priya',
      lastName: 'Menon',
      pan: 'PRYPM1616P',
      lan: 'KST-25-016016',
      title: 'M.A. in economics',
      dueInDays: 5,
    },
  ]
  for (const { number, firstName, lastName, pan, lan, title, dueInDays } of people) {
    const email = `${firstName}.${lastName}@example.in`.toLowerCase()
    const borrowerId = await addPerson(database, now, { phone: demoPhone(number), firstName, lastName, email, emailVerified: true, pan })
    await addRunningLoan(database, now, borrowerId, {
      lan,
      title,
      sanctionedRupees: 200_000,
      disbursedRupees: 200_000,
      ratePercent: 11.5,
      instalments: 36,
      nextDue: addDays(today, dueInDays),
      paid: 6,
    })
  }
}

async function addBorrowerWithTwoLoans(database: Database, now: Date, today: Day): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(2),
    firstName: 'Bilal',
    lastName: 'Ansari',
    email: 'bilal.ansari@example.in',
    emailVerified: true,
    pan: 'BLRPA2210B',
  })
  await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-25-001208',
    title: 'MBA, 2025 to 2027',
    sanctionedRupees: 400_000,
    disbursedRupees: 400_000,
    ratePercent: 12.5,
    instalments: 60,
    nextDue: addDays(today, -12),
    paid: 9,
  })
  await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-21-000317',
    title: 'Diploma in design',
    sanctionedRupees: 90_000,
    disbursedRupees: 90_000,
    ratePercent: 12,
    instalments: 12,
    nextDue: addMonths(nextFifth(today), -20, 5),
    paid: 12,
  })
}

async function addApplicant(database: Database, now: Date): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(3),
    firstName: 'Chitra',
    lastName: 'Venkataraman',
    email: 'chitra.v@example.in',
    emailVerified: true,
    pan: 'CHTPV5512C',
  })
  const submittedAt = new Date(now.getTime() - 6 * 86_400_000)
  const application = { borrower_id: borrowerId, application_id: 'APP-26-000881' }
  await database.asSystem(async (sql) => {
    await sql
      .insertInto('loan_applications')
      .values({ ...application, submitted_at: submittedAt, awaited: ['income_proof', 'admission_letter'] })
      .execute()
    await sql
      .insertInto('application_stages')
      .values({ ...application, stage: 'documents_verified', done_on: addDays(dayInIndia(submittedAt), 2) })
      .execute()
  })
}

async function addBorrowerWhoRepaid(database: Database, now: Date, today: Day): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(4),
    firstName: 'Dev',
    lastName: 'Mukherjee',
    email: 'dev.mukherjee@example.in',
    emailVerified: true,
    pan: 'DVMPM8821D',
  })
  const key = await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-22-000045',
    title: 'Certificate in accounting',
    sanctionedRupees: 120_000,
    disbursedRupees: 120_000,
    ratePercent: 11,
    instalments: 18,
    nextDue: addMonths(nextFifth(today), -2, 5),
    paid: 18,
  })
  await payTwice(database, key)
}

async function addLateBorrower(database: Database, now: Date, today: Day): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(5),
    firstName: 'Esha',
    lastName: 'Kulkarni',
    email: 'esha.kulkarni@example.in',
    emailVerified: false,
    pan: 'ESKPK3305E',
  })
  await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-24-007790',
    title: 'M.Sc. in statistics',
    sanctionedRupees: 300_000,
    disbursedRupees: 300_000,
    ratePercent: 11.75,
    instalments: 48,
    nextDue: addDays(today, -45),
    paid: 14,
  })
}

async function addBorrowerWithoutLeadId(database: Database, now: Date, today: Day): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(7),
    firstName: 'Gurpreet',
    lastName: 'Singh',
    email: 'gurpreet.singh@example.in',
    emailVerified: true,
  })
  await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-25-002650',
    leadId: null,
    title: 'Nursing, 2025 to 2029',
    sanctionedRupees: 250_000,
    disbursedRupees: 250_000,
    ratePercent: 10.5,
    instalments: 72,
    nextDue: nextFifth(today),
    paid: 5,
  })
}

async function addStaff(database: Database, now: Date): Promise<void> {
  const staff = { kind: 'staff', roles: [assumeRole] } as const
  await addPerson(database, now, {
    ...staff,
    phone: demoPhone(8),
    firstName: 'Harini',
    lastName: 'Rao',
    email: 'harini.rao@meghdoot.example',
    emailVerified: true,
    permissions: [],
  })
  await addPerson(database, now, {
    ...staff,
    phone: demoPhone(9),
    firstName: 'Imran',
    lastName: 'Qureshi',
    email: 'imran.qureshi@meghdoot.example',
    emailVerified: true,
    permissions: ['user:assume'],
  })
  await addPerson(database, now, {
    ...staff,
    phone: demoPhone(12),
    firstName: 'Meera',
    lastName: 'Joshi',
    email: 'meera.joshi@meghdoot.example',
    emailVerified: true,
    permissions: ['operations:read', 'operations:propose'],
  })
  await addPerson(database, now, {
    ...staff,
    phone: demoPhone(13),
    firstName: 'Naveen',
    lastName: 'Reddy',
    email: 'naveen.reddy@meghdoot.example',
    emailVerified: true,
    permissions: ['operations:read', 'operations:approve'],
  })
}

/** Adds a loan whose new rate is effective on the first 5th that is at least 20 days away. */
async function addFloatingBorrower(database: Database, now: Date, today: Day): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(14),
    firstName: 'Omkar',
    lastName: 'Gokhale',
    email: 'omkar.gokhale@example.in',
    emailVerified: true,
    pan: 'OMKPG4414D',
  })
  await addFloatingProduct(database, now)
  await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-25-004140',
    title: 'B.Tech., 2025 to 2029',
    product: 'floating',
    sanctionedRupees: 800_000,
    disbursedRupees: 800_000,
    ratePercent: 11,
    instalments: 120,
    nextDue: nextFifth(today),
    paid: 6,
  })
  await publishRate(database, now, 7, today)
  await resetRates(database, now, nextFifth(addDays(today, 19)))
}

async function addBorrowerPastTheLinkLimit(database: Database, now: Date, today: Day): Promise<void> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(11),
    firstName: 'Kavya',
    lastName: 'Iyer',
    email: 'kavya.iyer@example.in',
    emailVerified: true,
    pan: 'KVYPI9902K',
  })
  await addRunningLoan(database, now, borrowerId, {
    lan: 'KST-25-009914',
    title: 'MS in computer science',
    sanctionedRupees: 2_500_000,
    disbursedRupees: 2_500_000,
    ratePercent: 10.75,
    instalments: 120,
    nextDue: nextFifth(today),
    paid: 8,
  })
}
