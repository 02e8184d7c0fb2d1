import { applicationStages, awaitedDocuments, type ApplicationStage, type AwaitedDocument } from '#domain/applications.ts'
import { dayOfMonth, type Day } from '#domain/calendar.ts'
import type { RateChange } from '#domain/loans.ts'
import { zeroPaise, type Paise } from '#domain/money.ts'
import { isPan } from '#domain/pan.ts'
import { paymentPurposes, type PaymentPurpose } from '#domain/payments.ts'
import { identifierPattern, referencePattern } from '#contract/identifier.ts'
import { paymentModes, type PaymentMode } from '#server/loan-changes/record-payment.ts'
import { emailPattern } from '#cli/options.ts'
import type { Faults } from './faults.ts'
import { columns, quoted, type Column, type Line } from './line.ts'
import { readLines } from './read-lines.ts'

export type BookBorrower = {
  line: number
  phone: string
  firstName: string
  lastName: string
  email: string | null
  emailVerified: boolean
  pan: string | null
}
export type BookLoan = {
  line: number
  phone: string
  lan: string
  leadId: string | null
  partnerLoanId: string | null
  title: string
  product: string
  productVersion: number
  sanctionedOn: Day
  sanctionedPaise: Paise
  upfrontFeesPaise: Paise
  annualRatePpb: bigint
  instalments: number
  firstDueDate: Day
  dueDay: number
  principalGraceInstalments: number
  fixedInstalmentPaise: Paise | null
  moratoriumUntil: Day | null
  moratoriumInterest: 'paid' | 'deferred' | null
  allowTrancheRequest: boolean
}
export type BookDisbursal = { line: number; lan: string; reference: string; date: Day; amountPaise: Paise }
/** A past change of a new loan's rate. */
export type BookRateChange = { line: number; lan: string; date: Day; change: RateChange }
export type BookPayment = {
  line: number
  lan: string
  mode: PaymentMode
  reference: string
  date: Day
  amountPaise: Paise
  purpose: PaymentPurpose | null
}
export type BookApplication = {
  line: number
  phone: string
  applicationId: string
  date: Day
  awaited: AwaitedDocument[]
  closedOn: Day | null
}
/** A past stage of an application. */
export type BookStage = { line: number; phone: string; applicationId: string; stage: ApplicationStage; date: Day }

/** The good records of a kind by name. */
class Records<Kept> extends Map<string, Kept> {
  /** The names of bad lines. A line that refers to one of them is not reported as well. */
  readonly faulty = new Set<string>()
}

/** The records of a book. */
export class Book {
  readonly borrowers = new Records<BookBorrower>()
  readonly loans = new Records<BookLoan>()
  readonly disbursals = new Records<BookDisbursal>()
  readonly rateChanges = new Records<BookRateChange>()
  readonly payments = new Records<BookPayment>()
  readonly applications = new Records<BookApplication>()
  readonly stages = new Records<BookStage>()
  lines = 0
}

const namePattern = /^[\x21-\x7e]{1,64}$/
const nameForm = '1 to 64 characters without spaces'
const referenceForm = `${nameForm}, a letter or digit among them`
const identifierForm = 'a letter or digit and up to 63 letters, digits or _ . : -'
/**
 * Shorter than other identifiers: the receipt number, a loan's number with `-R` and up to six
 * digits, is one too.
 */
const lanPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,55}$/
const lanForm = 'a letter or digit and up to 55 letters, digits or _ . : -'
const personNameLengthMax = 100
const phonePattern = /^(\+[0-9]{11,13}|[0-9]{10})$/

/** The reader and the columns of each record, besides `record`. */
const readers: Record<string, { columns: readonly Column[]; read: (line: Line, book: Book) => void }> = {
  borrower: { columns: ['phone', 'first_name', 'last_name', 'email', 'email_verified', 'pan'], read: readBorrower },
  loan: {
    columns: [
      ...([
        'phone',
        'lan',
        'lead_id',
        'partner_loan_id',
        'title',
        'product',
        'product_version',
        'sanctioned_on',
        'sanctioned_amount',
        'upfront_fees',
        'annual_rate_percent',
        'instalments',
      ] as const),
      ...([
        'first_due_date',
        'due_day',
        'principal_grace_instalments',
        'fixed_instalment',
        'moratorium_until',
        'moratorium_interest',
        'allow_tranche_request',
      ] as const),
    ],
    read: readLoan,
  },
  disbursal: { columns: ['lan', 'reference', 'date', 'amount'], read: readDisbursal },
  rate_change: { columns: ['lan', 'date', 'annual_rate_percent', 'keep', 'amount'], read: readRateChange },
  payment: { columns: ['lan', 'mode', 'reference', 'date', 'amount', 'purpose'], read: readPayment },
  application: { columns: ['phone', 'application_id', 'date', 'awaited', 'closed_on'], read: readApplication },
  stage: { columns: ['phone', 'application_id', 'stage', 'date'], read: readStage },
}

/** Reads the lines of a book and adds their faults to `faults`. */
export async function readBook(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, faults: Faults): Promise<Book> {
  const book = new Book()
  await readLines(chunks, { columns, required: ['record'], of: 'a book' }, faults, (line) => readLine(line, book))
  return book
}

function readLine(line: Line, book: Book): void {
  const record = line.text('record')
  const reader = Object.hasOwn(readers, record) ? readers[record] : undefined
  if (record === '') return
  if (reader === undefined) return line.refuse('record', `${quoted(record)} is not one of ${Object.keys(readers).join(', ')}`)
  book.lines += 1
  line.refuseOthers(record, ['record', ...reader.columns])
  reader.read(line, book)
}

/** Stores a valid line under its name, which must be unique in a book. */
function keep<Kept extends { line: number }>(line: Line, records: Records<Kept>, key: string, what: string, record: Kept): void {
  const earlier = records.get(key)
  if (!line.isGood) records.faulty.add(key)
  else if (earlier) line.refuse(null, `${what} is in line ${earlier.line} already`)
  else records.set(key, record)
}

const phoneOf = (line: Line): string => {
  const phone = line.matching('phone', phonePattern, 'ten digits, or + and the country code')
  return phone.startsWith('+') ? phone : `+91${phone}`
}

function readBorrower(line: Line, book: Book): void {
  const phone = phoneOf(line)
  const pan = line.optional('pan')
  if (pan !== null && !isPan(pan)) line.refuse('pan', `${quoted(pan)} is not five letters, four digits and a letter`)
  const email = line.optional('email')
  if (email !== null && !emailPattern.test(email)) line.refuse('email', `${quoted(email)} is not an e-mail address`)
  keep(line, book.borrowers, phone, `the borrower ${phone}`, {
    line: line.number,
    phone,
    firstName: line.text('first_name', personNameLengthMax),
    lastName: line.text('last_name', personNameLengthMax),
    email,
    emailVerified: line.flag('email_verified', false),
    pan,
  })
}

function readLoan(line: Line, book: Book): void {
  const lan = line.matching('lan', lanPattern, lanForm)
  const firstDueDate = line.day('first_due_date')
  const instalments = line.whole('instalments', 1, 480)
  const moratoriumUntil = line.optionalDay('moratorium_until')
  const moratoriumInterest = line.oneOf('moratorium_interest', ['paid', 'deferred'])
  if ((moratoriumUntil === null) !== (moratoriumInterest === null))
    line.refuse('moratorium_interest', 'must be given together with moratorium_until')
  keep(line, book.loans, lan, `loan ${lan}`, {
    line: line.number,
    phone: phoneOf(line),
    lan,
    leadId: line.optionalMatching('lead_id', identifierPattern, identifierForm),
    partnerLoanId: line.optionalMatching('partner_loan_id', identifierPattern, identifierForm),
    title: line.text('title'),
    product: line.text('product'),
    productVersion: line.whole('product_version', 1, 1_000_000, 1),
    sanctionedOn: line.day('sanctioned_on'),
    sanctionedPaise: line.amount('sanctioned_amount'),
    upfrontFeesPaise: line.optionalAmount('upfront_fees') ?? zeroPaise,
    annualRatePpb: line.rate('annual_rate_percent'),
    instalments,
    firstDueDate,
    dueDay: line.whole('due_day', 1, 31, dayOfMonth(firstDueDate)),
    principalGraceInstalments: line.whole('principal_grace_instalments', 0, instalments - 1, 0),
    fixedInstalmentPaise: line.optionalAmount('fixed_instalment'),
    moratoriumUntil,
    moratoriumInterest,
    allowTrancheRequest: line.flag('allow_tranche_request', true),
  })
}

function readDisbursal(line: Line, book: Book): void {
  const lan = line.matching('lan', namePattern, nameForm)
  const reference = line.matching('reference', namePattern, nameForm)
  keep(line, book.disbursals, `${lan} ${reference}`, `disbursal ${reference} of loan ${lan}`, {
    line: line.number,
    lan,
    reference,
    date: line.day('date'),
    amountPaise: line.amount('amount'),
  })
}

function readRateChange(line: Line, book: Book): void {
  const lan = line.matching('lan', namePattern, nameForm)
  const date = line.day('date')
  const annualRatePpb = Number(line.rate('annual_rate_percent'))
  const kept = line.requiredOneOf('keep', ['instalment', 'tenor', 'both'])
  const instalmentPaise = line.optionalAmount('amount')
  if (kept === 'both' && instalmentPaise === null) line.refuse('amount', 'is missing: keep both needs the new instalment')
  if (kept !== null && kept !== 'both' && instalmentPaise !== null)
    line.refuse('amount', `keep ${kept} has none: the instalment is computed`)
  const change: RateChange =
    instalmentPaise === null
      ? { date, annualRatePpb, keep: kept === 'instalment' ? 'instalment' : 'tenor' }
      : { date, annualRatePpb, keep: 'both', instalmentPaise }
  keep(line, book.rateChanges, `${lan} ${date}`, `the rate change of ${date} of loan ${lan}`, { line: line.number, lan, date, change })
}

function readPayment(line: Line, book: Book): void {
  const lan = line.matching('lan', namePattern, nameForm)
  const reference = line.matching('reference', referencePattern, referenceForm)
  const mode = line.requiredOneOf('mode', paymentModes)
  keep(line, book.payments, `${lan} ${mode} ${reference}`, `payment ${mode} ${reference} of loan ${lan}`, {
    line: line.number,
    lan,
    mode: mode ?? 'transfer',
    reference,
    date: line.day('date'),
    amountPaise: line.amount('amount'),
    purpose: line.oneOf('purpose', paymentPurposes),
  })
}

function readApplication(line: Line, book: Book): void {
  const phone = phoneOf(line)
  const applicationId = line.matching('application_id', namePattern, nameForm)
  keep(line, book.applications, `${phone} ${applicationId}`, `application ${applicationId}`, {
    line: line.number,
    phone,
    applicationId,
    date: line.day('date'),
    awaited: line.severalOf('awaited', awaitedDocuments),
    closedOn: line.optionalDay('closed_on'),
  })
}

/** The first stage is the application's own line. */
const laterStages = applicationStages.filter((stage) => stage !== 'submitted')

function readStage(line: Line, book: Book): void {
  const phone = phoneOf(line)
  const applicationId = line.matching('application_id', namePattern, nameForm)
  const stage = line.requiredOneOf('stage', laterStages)
  keep(line, book.stages, `${phone} ${applicationId} ${stage}`, `stage ${stage} of application ${applicationId}`, {
    line: line.number,
    phone,
    applicationId,
    stage: stage ?? 'documents_verified',
    date: line.day('date'),
  })
}
