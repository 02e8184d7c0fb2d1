import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia, toDay } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { readFacts } from '#server/loans/facts-store.ts'
import { findLoanKey, readLoans } from '#server/loans/loan-store.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { insertTranche } from '#server/tranches/tranche-store.ts'
import { buildLink } from '#server/payments/links/new-link.ts'
import { addLink } from '#server/payments/links/link-store.ts'
import { returnByBank } from '#server/payments/refunds/return-by-bank.ts'
import { addProduct, educationLoan } from '#testkit/builders.ts'
import { demoBookNow, makeDemoBook, readDemoBook } from '#testkit/demo-book.ts'
import { floatingLoan } from '#testkit/floating-loan.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { presentDebit } from '#testkit/presented-debit.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { importBook } from './import.ts'
import { BookRefused } from './faults.ts'
import { erase } from '#cli/commands/person.ts'
import { load } from '#cli/commands/product.ts'

let context: TestContext
const open = async () => {
  context = await openTestContext(inject('cluster'), { now: demoBookNow })
}
const close = () => context.close()

const product = readFileSync(join(import.meta.dirname, '../../testkit/demo-book-product.json'), 'utf8')
const run = (text: string) => importBook(context, [new TextEncoder().encode(text)], 'book.csv')
/** What is told of a book that is refused. */
async function refusal(text: string): Promise<string[]> {
  const error = await run(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof BookRefused)) throw new Error(`The book was not refused: ${String(error)}`)
  return error.faults.report()
}
const counts = () =>
  context.database.asSystem(async (sql) => {
    const count = async (
      table: 'users' | 'loans' | 'disbursals' | 'ledger_transactions' | 'ledger_entries' | 'access_log' | 'loan_applications',
    ) =>
      Number(
        (
          await sql
            .selectFrom(table)
            .select((select) => select.fn.countAll<bigint>().as('rows'))
            .executeTakeFirstOrThrow()
        ).rows,
      )
    return [
      await count('users'),
      await count('loans'),
      await count('disbursals'),
      await count('ledger_transactions'),
      await count('ledger_entries'),
      await count('loan_applications'),
      await count('access_log'),
    ]
  })

describe('the sample', () => {
  beforeEach(open)
  afterEach(close)

  it('is the demo town of its day (after a change of the town: node testkit/demo-book.ts)', async () => {
    expect(await makeDemoBook(inject('cluster'))).toBe(readDemoBook())
    const { rate_type: _absent, ...floating } = floatingLoan
    expect(JSON.parse(product)).toEqual([
      { product_code: 'education', product_version: 1, terms: educationLoan },
      { product_code: 'floating', product_version: 1, terms: floating },
    ])
  })
  it('makes the same loans as the town has', async () => {
    await load(context, product)
    expect(await run(readDemoBook())).toMatch(
      /^imported: 1\d borrowers, \d+ loans, \d+ disbursals, \d+ payments, 1 applications, 1 stages$/,
    )
    await expectInvariantsHold(context)
    const town = await openTestContext(inject('cluster'), { now: demoBookNow, town: true })
    try {
      for (const number of [1, 2, 3, 4, 5, 7, 11]) expect(await statesOf(context, number)).toEqual(await statesOf(town, number))
    } finally {
      await town.close()
    }
  })
  it('changes nothing when it is imported again, then or later', async () => {
    await load(context, product)
    await run(readDemoBook())
    const before = await counts()
    expect(await run(readDemoBook())).toBe(`unchanged: all ${readDemoBook().trim().split('\n').length - 1} records were imported before`)
    const later = { ...context, clock: { now: () => new Date(demoBookNow.getTime() + 40 * 86_400_000) } }
    expect(await importBook(later, [new TextEncoder().encode(readDemoBook())], 'book.csv')).toContain('unchanged')
    expect(await counts()).toEqual(before)
  })
  it('is imported again after the erasure of a person whose loan is closed, and brings nothing back', async () => {
    await load(context, product)
    await run(readDemoBook())
    const lines = readDemoBook().trim().split('\n').length - 1
    const storage = { remove: () => Promise.resolve() }
    const erased = () =>
      context.database.asSystem((sql) =>
        sql
          .selectFrom('users')
          .select(['first_name', 'email'])
          .where('user_id', 'in', (query) => query.selectFrom('loans').select('borrower_id').where('lan', '=', 'KST-22-000045'))
          .execute(),
      )
    // The law keeps the name: only the e-mail address is erased.
    await erase(context, demoPhone(4), storage)
    expect(await run(readDemoBook())).toBe(`unchanged: all ${lines} records were imported before`)
    expect(await erased()).toEqual([{ first_name: 'Dev', email: null }])

    const later = { ...context, clock: { now: () => new Date(demoBookNow.getTime() + 9 * 366 * 86_400_000) } }
    const importLater = (text: string) => importBook(later, [new TextEncoder().encode(text)], 'book.csv')
    await erase(later, demoPhone(4), storage)
    const before = await counts()
    // One borrower, one loan, one disbursal and eighteen payments.
    expect(await importLater(readDemoBook())).toBe(
      `unchanged: ${lines - 21} records were imported before; 21 records of erased people were skipped`,
    )
    expect(await counts()).toEqual(before)
    expect(await erased()).toEqual([{ first_name: 'Erased', email: null }])

    // The person takes another loan and is a new borrower, without the old loan.
    const again = readDemoBook()
      .split('\n')
      .filter((line) => line.startsWith('loan,+919000000004'))
      .map((line) => line.replaceAll('000045', '900045'))
    expect(await importLater(`${readDemoBook().trim()}\n${again.join('\n')}\n`)).toMatch(/^imported: 1 borrowers, 1 loans, 0 disbursals/)
    expect(await erased()).toEqual([{ first_name: 'Erased', email: null }])
  })
  it('of a borrower whose e-mail address was never erased is refused if the address differs', async () => {
    await load(context, product)
    await run(readDemoBook().replace('dev.mukherjee@example.in,yes', ','))
    expect(await refusal(readDemoBook())).toEqual([
      expect.stringMatching(/^line \d+: phone: \+919000000004 is stored with another email: none$/),
    ])
  })
})

/** A borrower's loans as they stand, without what names their rows. */
function statesOf({ database }: TestContext, number: number) {
  return database.asSystem(async (sql) => {
    const { user_id } = await sql
      .selectFrom('user_phones')
      .select('user_id')
      .where('phone', '=', demoPhone(number))
      .executeTakeFirstOrThrow()
    const loans = await readLoans(sql, user_id)
    const facts = await readFacts(sql, loans)
    return loans.map((loan) => {
      const known = facts.get(loan.loan_id)
      if (!known) throw new Error('A loan has no facts')
      // A book does not have what was sent back.
      const payments = known.payments.filter(({ amountPaise, heldPaise }) => amountPaise !== heldPaise)
      const { allocations, adjustments, ...state } = loanStateDuring({ ...known, payments }, dayInIndia(demoBookNow))
      return {
        lan: loan.lan,
        apr: [loan.apr_basis_points, loan.apr_disbursed_on],
        state,
        allocations: allocations.map(({ lines }) => lines),
        adjustments: adjustments.map(({ reason, date, lines }) => ({ reason, date, lines })),
      }
    })
  })
}

const header =
  'record,phone,first_name,last_name,email,pan,lan,title,product,sanctioned_on,sanctioned_amount,annual_rate_percent,instalments,first_due_date,reference,date,amount,mode,purpose,application_id'
const borrower = (phone = '9800000001', last = 'Rao') => `borrower,${phone},Asha,${last},,,,,,,,,,,,,,,,`
const loan = (lan = 'L-1', phone = '9800000001', more = '120000,12,12,2026-07-05') =>
  `loan,${phone},,,,,${lan},Course,education,2026-06-05,${more},,,,,,`
const disbursal = (lan = 'L-1', amount = '120000', date = '2026-06-05', reference = 'D1') =>
  `disbursal,,,,,,${lan},,,,,,,,${reference},${date},${amount},,,`
const payment = (reference: string, amount = '10662', date = '2026-07-05', lan = 'L-1', mode = 'neft') =>
  `payment,,,,,,${lan},,,,,,,,${reference},${date},${amount},${mode},,`
const book = (...lines: string[]) => [header, ...lines, ''].join('\n')

/** Adds a link that a borrower can still pay. @returns its reference. */
async function openLink(lan: string): Promise<string> {
  const key = await context.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new Error('no loan')
  const order = {
    amount: rupeesToPaise(100),
    purpose: 'PAY_EMI',
    callback_url: 'http://localhost:3000/payments/waiting-for-payment',
  } as const
  const asked = { now: demoBookNow, actorId: key.borrowerId, sessionId: null, sweepAfterSeconds: 900 }
  return context.database.asBorrower(key.borrowerId, async (sql) => {
    const link = buildLink(await lockOwnLoan(sql, key.borrowerId, key.loanId), order, asked)
    await addLink(sql, link)
    return link.reference
  })
}

const good = [borrower(), loan(), disbursal()]

/** A book of loans with other names. */
const namedBook = (...lines: string[]) =>
  [
    'record,phone,first_name,last_name,lan,lead_id,partner_loan_id,title,product,sanctioned_on,sanctioned_amount,annual_rate_percent,instalments,first_due_date',
    'borrower,9800000001,Asha,Rao,,,,,,,,,,',
    'borrower,9800000002,Ravi,Sen,,,,,,,,,,',
    ...lines,
    '',
  ].join('\n')
const named = (lan: string, leadId = '', partnerLoanId = '', phone = '9800000001') =>
  `loan,${phone},,,${lan},${leadId},${partnerLoanId},Course,education,2026-06-05,120000,12,12,2026-07-05`

describe('a book', () => {
  beforeEach(async () => {
    await open()
    await addProduct(context.database, demoBookNow, 'education', educationLoan)
  })
  afterEach(close)

  it('goes in with its ledger, in whatever order its lines come', async () => {
    expect(await run(book(payment('U2', '10662', '2026-08-05'), payment('U1'), disbursal(), loan(), borrower()))).toBe(
      'imported: 1 borrowers, 1 loans, 1 disbursals, 2 payments, 0 applications, 0 stages',
    )
    await expectInvariantsHold(context)
    expect(await counts()).toEqual([1, 1, 1, 3, 8, 0, 1])
  })
  it('with CRLF, a BOM and quotes is the same', async () => {
    await run(`\uFEFF${book(borrower(), loan().replace('Course', '"Course, 2026 ""A"""'), disbursal()).replaceAll('\n', '\r\n')}`)
    const rows = await context.database.asSystem((sql) => sql.selectFrom('loans').select('title').execute())
    expect(rows).toEqual([{ title: 'Course, 2026 "A"' }])
  })
  it('of later payments and tranches adds them to loans that are there, and moves what they change', async () => {
    await run(book(borrower(), loan('L-1', '9800000001', '200000,12,12,2026-07-05'), disbursal(), payment('U2', '10662', '2026-08-05')))
    expect(await run(book(payment('U1'), payment('U2', '10662', '2026-08-05'), disbursal('L-1', '50000', '2026-08-01', 'D2')))).toBe(
      'imported: 0 borrowers, 0 loans, 1 disbursals, 1 payments, 0 applications, 0 stages; 1 records were imported before',
    )
    await expectInvariantsHold(context)
    const kinds = await context.database.asSystem((sql) => sql.selectFrom('ledger_transactions').select('kind').execute())
    expect(kinds.map(({ kind }) => kind)).toContain('reallocation')
  })
  it('of a stored loan that was paid out before its sanction is unchanged; a further such disbursal is refused', async () => {
    const lines = [borrower(), loan('L-1', '9800000001', '200000,12,12,2026-07-05'), disbursal()]
    await run(book(...lines))
    await context.database.asSystem((sql) =>
      sql
        .updateTable('loans')
        .set({ sanctioned_on: toDay('2026-06-06') })
        .execute(),
    )
    const later = lines.map((line) => line.replace('education,2026-06-05', 'education,2026-06-06'))
    expect(await run(book(...later))).toContain('unchanged')
    expect(await refusal(book(disbursal('L-1', '50000', '2026-06-05', 'D2')))).toEqual([
      'line 2: date: 2026-06-05 is before 2026-06-06, when the loan was sanctioned',
    ])
  })
  it('of a disbursal that pays out a tranche of the portal releases it, and refuses another amount', async () => {
    await run(book(borrower(), loan('L-1', '9800000001', '200000,12,12,2026-07-05'), disbursal()))
    const key = await context.database.asSystem((sql) => findLoanKey(sql, 'L-1'))
    if (!key) throw new Error('there is no loan L-1')
    const tranche = { borrower_id: key.borrowerId, loan_id: key.loanId, tranche_id: uuidv7(), partner_tranche_id: 'L-1-T2' }
    const stage = { amount_paise: rupeesToPaise(50_000), stage: 'approved' as const, disbursed_on: toDay('2026-08-05') }
    const times = { requested_at: demoBookNow, requested_by: key.borrowerId, changed_at: demoBookNow }
    await context.database.asSystem((sql) => insertTranche(sql, { ...tranche, ...stage, ...times }))
    expect(await refusal(book(disbursal('L-1', '40000', '2026-08-01', 'L-1-T2')))).toEqual([
      'line 2: loan L-1: tranche L-1-T2 was asked for in the portal with another amount',
    ])
    await run(book(disbursal('L-1', '50000', '2026-08-01', 'L-1-T2')))
    const released = await context.database.asSystem((sql) => sql.selectFrom('tranches').select(['stage', 'disbursed_on']).execute())
    expect(released).toEqual([{ stage: 'released', disbursed_on: '2026-08-01' }])
    expect(await run(book(disbursal('L-1', '50000', '2026-08-01', 'L-1-T2')))).toContain('unchanged')
    await expectInvariantsHold(context)
  })
  it('of later payments has an open payment link cancelled, and is refused where a later disbursal meets one', async () => {
    await run(book(borrower(), loan('L-1', '9800000001', '200000,12,12,2026-07-05'), disbursal()))
    const reference = await openLink('L-1')
    const before = await counts()
    expect(await refusal(book(disbursal('L-1', '50000', '2026-08-01', 'D2')))).toEqual([
      `line 2: loan L-1 has the open payment link ${reference}: its disbursal waits for the link's end`,
    ])
    expect(await counts()).toEqual(before)
    await run(book(payment('U1')))
    const link = await context.database.asSystem((sql) => sql.selectFrom('payment_links').selectAll().executeTakeFirstOrThrow())
    expect([link.cancel_requested_by, link.next_check_at]).toEqual([context.operator.actorId, demoBookNow])
    const log = await context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['action', 'detail']).orderBy('sequence').execute(),
    )
    expect(log.at(-1)).toMatchObject({ action: 'book_imported', detail: { file: 'book.csv', lan: 'L-1', cancelled_link: reference } })
    expect(log).toHaveLength(2)
  })
  it('is refused where a later payment came by a link of the borrower', async () => {
    await run(book(...good))
    const key = await context.database.asSystem((sql) => findLoanKey(sql, 'L-1'))
    if (!key) throw new Error('there is no loan L-1')
    await payInstalments(context.database, { ...key, lan: 'L-1' }, 1)
    const { bank_reference: rrn } = await context.database.asSystem((sql) =>
      sql.selectFrom('provider_payments').select('bank_reference').executeTakeFirstOrThrow(),
    )
    expect(await refusal(book(payment('U1', '10662', '2026-08-05'), payment(String(rrn), '10662', '2026-08-06', 'L-1', 'upi')))).toEqual([
      expect.stringContaining(`line 3: loan L-1: The bank reference ${rrn} is that of a payment by link or autopay`),
    ])
  })
  it('is refused where a later disbursal meets a presented debit', async () => {
    await run(book(borrower(), loan('L-1', '9800000001', '200000,12,12,2026-07-05'), disbursal()))
    const key = await context.database.asSystem((sql) => findLoanKey(sql, 'L-1'))
    if (!key) throw new Error('there is no loan L-1')
    await presentDebit(context, key, { now: demoBookNow, expectedBy: demoBookNow })
    expect(await refusal(book(payment('U1'), disbursal('L-1', '50000', '2026-08-01', 'D2')))).toEqual([
      "line 3: loan L-1 has a debit in progress at the bank: its disbursal waits for the debit's outcome",
    ])
  })
  it('is refused where a new loan has a name of another loan of its borrower, in the book or the portal', async () => {
    await run(namedBook(named('L-1', 'LEAD-1', 'P-1')))
    expect(
      await refusal(
        namedBook(
          named('L-1', 'LEAD-1', 'P-1'),
          named('L-2', 'LEAD-1'),
          named('L-3', '', 'L-1'),
          named('P-1'),
          named('L-4', 'LEAD-4', 'LEAD-4'),
          named('L-5', 'LEAD-5', 'L-4'),
          named('LEAD-5'),
          named('L-6', 'LEAD-1', 'P-1', '9800000002'),
        ),
      ),
    ).toEqual([
      "line 5: lead_id: LEAD-1 is a name of the same borrower's loan L-1 already",
      "line 6: partner_loan_id: L-1 is a name of the same borrower's loan L-1 already",
      "line 7: lan: P-1 is a name of the same borrower's loan L-1 already",
      "line 9: partner_loan_id: L-4 is a name of the same borrower's loan L-4 already",
      "line 10: lan: LEAD-5 is a name of the same borrower's loan L-5 already",
    ])
    expect(await run(namedBook(named('L-2', 'LEAD-2'), named('L-6', 'LEAD-1', 'P-1', '9800000002')))).toContain('2 loans')
  })
  it('refuses a bank reference that another payment has, in the book or the portal, however it is written', async () => {
    await run(book(borrower(), loan(), disbursal(), payment('UTR-1')))
    const another = [borrower('9800000002', 'Sen'), loan('L-2', '9800000002'), disbursal('L-2')]
    expect(await refusal(book(...another, payment('utr1', '10662', '2026-07-05', 'L-2')))).toEqual([
      'line 5: reference: the bank reference utr1 is that of a payment on another loan already',
    ])
    expect(await refusal(book(...another, payment('N9', '1', '2026-07-05', 'L-2'), payment('n-9', '1', '2026-07-06', 'L-1')))).toEqual([
      'line 6: reference: the bank reference n-9 is that of line 5 already',
    ])
    expect(await refusal(book(...another, payment('--', '10662', '2026-07-05', 'L-2')))).toEqual([
      'line 5: reference: "--" is not 1 to 64 characters without spaces, a letter or digit among them',
    ])
    await run(book(...another, payment('UTR-1', '10662', '2026-07-05', 'L-2', 'cheque')))
    await expectInvariantsHold(context)
  })
  it('may name a borrower of the portal by the phone alone', async () => {
    await run(book(borrower()))
    expect(await run(book(loan(), disbursal()))).toContain('1 loans')
  })
  it('moves an application on: later stages are added, and what is awaited is what the newest book says', async () => {
    const book = (...lines: string[]) => ['record,phone,first_name,last_name,application_id,date,stage,awaited', ...lines, ''].join('\n')
    const applied = (awaited: string) => `application,9800000001,,,A-1,2026-10-01,,${awaited}`
    const stage = (name: string, date = '2026-10-03') => `stage,9800000001,,,A-1,${date},${name},`
    await run(book('borrower,9800000001,Asha,Rao,,,,', applied('pan_card income_proof')))
    expect(await run(book(applied('income_proof'), stage('documents_verified')))).toBe(
      'imported: 0 borrowers, 0 loans, 0 disbursals, 0 payments, 1 applications, 1 stages',
    )
    expect(await run(book(applied('income_proof'), stage('documents_verified')))).toBe('unchanged: all 2 records were imported before')
    const told = await context.database.asSystem((sql) => sql.selectFrom('loan_applications').select('awaited').execute())
    expect(told).toEqual([{ awaited: ['income_proof'] }])
    const closing = ['record,phone,application_id,date,awaited,closed_on', 'application,9800000001,A-1,2026-10-01,,2026-10-20', ''].join(
      '\n',
    )
    expect(await run(closing)).toContain('1 applications')
    expect(await run(closing)).toContain('unchanged')
    const [row] = await context.database.asSystem((sql) => sql.selectFrom('loan_applications').select('closed_at').execute())
    expect(row?.closed_at && dayInIndia(row.closed_at)).toBe('2026-10-20')
    expect(
      await refusal(book(applied('money'), stage('documents_verified', '2026-10-04'), stage('submitted'), stage('assessed', '2027-10-04'))),
    ).toEqual([
      'line 2: awaited: "money" is not one of pan_card, address_proof, income_proof, bank_statement, admission_letter, fee_structure, co_applicant_papers',
      'line 3: stage: stage documents_verified of application A-1 is stored with another date',
      'line 4: stage: "submitted" is not one of documents_verified, assessed, sanctioned, agreement_signed',
      'line 5: date: 2027-10-04 is in the future',
    ])
    expect(await refusal(book(stage('assessed', '2026-09-30')))).toEqual(['line 2: date: 2026-09-30 is before the application, 2026-10-01'])
    expect(await refusal(book(stage('assessed').replace('A-1', 'A-2')))).toEqual([
      'line 2: application_id: there is no application A-2 of this borrower',
    ])
  })
  it('that is empty but for its header changes nothing', async () => {
    expect(await run(book())).toBe('unchanged: all 0 records were imported before')
  })

  it('with the same names and another content is refused, line by line', async () => {
    await run(book(...good, payment('U1'), 'application,9800000001,,,,,,,,,,,,,,2026-10-01,,,,A-1'))
    const before = await counts()
    expect(
      await refusal(
        book(
          borrower('9800000001', 'Reddy'),
          loan('L-1', '9800000001', '120000,13,12,2026-07-05'),
          disbursal('L-1', '100000'),
          payment('U1', '10663'),
          'application,9800000001,,,,,,,,,,,,,,2026-10-02,,,,A-1',
        ),
      ),
    ).toEqual([
      'line 2: phone: +919800000001 is stored with another last_name: Rao',
      'line 3: lan: L-1 is stored with another annual_rate_ppb: 120000000',
      'line 4: reference: disbursal D1 is stored with another date or amount',
      'line 5: reference: neft U1 is stored with another loan, amount, date or purpose',
      'line 6: application_id: application A-1 is stored with another date',
    ])
    expect(await counts()).toEqual(before)
  })
  it('that a later payment makes impossible is refused whole', async () => {
    await run(book(...good))
    const before = await counts()
    expect(await refusal(book(payment('U1'), payment('U2', '5', '2026-06-01')))).toEqual([
      'line 3: loan L-1: it would not add up: a payment was received before the first disbursal',
    ])
    expect(await counts()).toEqual(before)
  })
  it('with a payment that would use credit which was returned since is refused whole', async () => {
    await run(book(...good, payment('U1', '60000', '2026-06-20')))
    const { borrowerId, loanId } = (await context.database.asSystem((sql) => findLoanKey(sql, 'L-1'))) ?? { borrowerId: '', loanId: '' }
    const sent = { mode: 'neft', reference: 'SENT1', amountPaise: rupeesToPaise(5_000), date: toDay('2026-06-25') } as const
    await withLockedLoan(context.database, { borrowerId, loanId }, demoBookNow, (loan) => returnByBank(loan, sent))
    const before = await counts()
    const closing = payment('U2', '61000', '2026-06-22').replace('neft,,', 'neft,FORECLOSURE,')
    expect(await refusal(book(closing))).toEqual([expect.stringMatching(/^line 2: loan L-1: .* of credit that was refunded since$/)])
    expect(await counts()).toEqual(before)
  })
})

describe('a bad book', () => {
  beforeAll(async () => {
    await open()
    await addProduct(context.database, demoBookNow, 'education', educationLoan)
  })
  afterAll(close)

  it.each<[what: string, text: string, told: string[]]>([
    ['no header', '', ['line 1: the file is empty; it must begin with a header']],
    ['a column that is none', 'record,colour\n', ['line 1: the header has "colour", which is not a column of a book']],
    ['a column twice', 'record,lan,lan\n', ['line 1: the header has lan twice']],
    ['no column record', 'phone\n', ['line 1: the header has no column record']],
    [
      'a record that is none',
      book(borrower().replace('borrower', 'lender')),
      ['line 2: record: "lender" is not one of borrower, loan, disbursal, rate_change, payment, application, stage'],
    ],
    [
      'records that are parts of every object',
      book(...['constructor', 'toString', '__proto__'].map((record) => borrower().replace('borrower', record))),
      [
        'line 2: record: "constructor" is not one of borrower, loan, disbursal, rate_change, payment, application, stage',
        'line 3: record: "toString" is not one of borrower, loan, disbursal, rate_change, payment, application, stage',
        'line 4: record: "__proto__" is not one of borrower, loan, disbursal, rate_change, payment, application, stage',
      ],
    ],
    ['too few columns', book('borrower,9800000001'), ['line 2: has 2 columns; the header has 20']],
    ['an open quote', book(...good, '"payment'), ['line 5: a quote is opened and not closed']],
    ['a value in a wrong column', book('borrower,9800000001,Asha,Rao,,,L-9,,,,,,,,,,,,,'), ['line 2: lan: a borrower line has none']],
    [
      'an amount like 1e3',
      book(...good, payment('U1', '1e3')),
      ['line 5: amount: "1e3" is not an amount of rupees above 0 with at most two decimals'],
    ],
    [
      'three decimals',
      book(...good, payment('U1', '1.234')),
      ['line 5: amount: "1.234" is not an amount of rupees above 0 with at most two decimals'],
    ],
    [
      'a negative amount',
      book(...good, payment('U1', '-5')),
      ['line 5: amount: "-5" is not an amount of rupees above 0 with at most two decimals'],
    ],
    ['a missing amount', book(...good, payment('U1', '')), ['line 5: amount: is missing']],
    ['a day that there is not', book(...good, payment('U1', '5', '2026-06-31')), ['line 5: date: "2026-06-31" is not a date YYYY-MM-DD']],
    ['a day ahead', book(...good, payment('U1', '5', addDays(dayInIndia(demoBookNow), 1))), ['line 5: date: 2026-11-02 is in the future']],
    [
      'a mode that is none',
      book(...good, payment('U1', '5', '2026-07-05', 'L-1', 'razorpay')),
      [expect.stringContaining('line 5: mode: "razorpay" is not one of') as unknown as string],
    ],
    [
      'a loan that there is not',
      book(...good, payment('U1', '5', '2026-07-05', 'L-9')),
      ['line 5: lan: there is no loan L-9 in the book or the portal'],
    ],
    ['a borrower that there is not', book(loan()), ['line 2: phone: no borrower of the book or the portal has +919800000001']],
    [
      'a product that is not loaded',
      book(borrower(), loan().replace('education', 'car')),
      ['line 3: product: car version 1 is not loaded (kist product load)'],
    ],
    ['the same loan twice', book(...good, loan()), ['line 5: loan L-1 is in line 3 already']],
    ['the same payment twice', book(...good, payment('U1'), payment('U1')), ['line 6: payment neft U1 of loan L-1 is in line 5 already']],
    [
      'the same reference for two loans of a borrower',
      book(...good, loan('L-2'), disbursal('L-2'), payment('U1'), payment('U1', '5', '2026-07-05', 'L-2')),
      ['line 8: reference: the same borrower has neft U1 in line 7 already'],
    ],
    [
      'more disbursed than sanctioned',
      book(borrower(), loan(), disbursal('L-1', '120001')),
      ['line 3: loan L-1 does not add up: more was disbursed than sanctioned'],
    ],
    [
      'a payment before the first disbursal',
      book(...good, payment('U1', '5', '2026-06-04')),
      ['line 3: loan L-1 does not add up: a payment was received before the first disbursal'],
    ],
    [
      'a bad phone, PAN and e-mail, all told',
      book('borrower,12,Asha,Rao,nowhere,abc,,,,,,,,,,,,,,'),
      [
        'line 2: phone: "12" is not ten digits, or + and the country code',
        'line 2: pan: "abc" is not five letters, four digits and a letter',
        'line 2: email: "nowhere" is not an e-mail address',
      ],
    ],
    [
      'a loan number with a slash, a long one, and other names with spaces or slashes',
      namedBook(named('EDU/2024/00017'), named('L'.repeat(57)), named('L-1', 'LEAD 12', 'P/1'), named('L'.repeat(56), 'L'.repeat(64))),
      [
        'line 4: lan: "EDU/2024/00017" is not a letter or digit and up to 55 letters, digits or _ . : -',
        `line 5: lan: "${'L'.repeat(40)}…" is not a letter or digit and up to 55 letters, digits or _ . : -`,
        'line 6: lead_id: "LEAD 12" is not a letter or digit and up to 63 letters, digits or _ . : -',
        'line 6: partner_loan_id: "P/1" is not a letter or digit and up to 63 letters, digits or _ . : -',
      ],
    ],
    [
      'borrowers that there are not, and another fault, all told',
      book(
        loan(),
        loan('L-2', '9800000002'),
        borrower('9800000003').replace('Asha', ''),
        loan('L-3', '9800000003'),
        'application,9800000002,,,,,,,,,,,,,,2026-10-01,,,,A-1',
      ),
      [
        'line 2: phone: no borrower of the book or the portal has +919800000001',
        'line 3: phone: no borrower of the book or the portal has +919800000002',
        'line 4: first_name: is missing',
        'line 6: phone: no borrower of the book or the portal has +919800000002',
      ],
    ],
    [
      'a loan whose line is wrong, but not with its payments',
      book(borrower(), loan().replace('Course', ''), disbursal(), payment('U1')),
      ['line 3: title: is missing'],
    ],
    [
      'names that are too long for a person',
      book(borrower('9800000001', 'R'.repeat(101)), borrower('9800000002', 'R'.repeat(100))),
      ['line 2: last_name: is longer than 100 characters'],
    ],
    [
      'a sanction ahead',
      book(borrower(), loan().replace('2026-06-05', '2026-11-02'), disbursal()),
      ['line 3: sanctioned_on: 2026-11-02 is in the future', 'line 4: date: 2026-06-05 is before 2026-11-02, when the loan was sanctioned'],
    ],
    [
      'a disbursal before the sanction',
      book(borrower(), loan(), disbursal('L-1', '100000'), disbursal('L-1', '1000', '2016-06-06', 'D2')),
      ['line 5: date: 2016-06-06 is before 2026-06-05, when the loan was sanctioned'],
    ],
    [
      'an application that ends ahead, and stages of a wrong and an unknown application',
      [
        'record,phone,first_name,last_name,application_id,date,stage,closed_on',
        'borrower,9800000001,Asha,Rao,,,,',
        'application,9800000001,,,A-1,2026-10-01,,2026-11-02',
        'application,9800000001,,,A-2,2026-10-32,,',
        'stage,9800000001,,,A-2,2026-10-03,assessed,',
        'stage,9800000001,,,A-3,2026-10-03,assessed,',
        '',
      ].join('\n'),
      [
        'line 3: closed_on: 2026-11-02 is in the future',
        'line 4: date: "2026-10-32" is not a date YYYY-MM-DD',
        'line 6: application_id: there is no application A-3 of this borrower',
      ],
    ],
    [
      'an application that ends, and a stage, before its date',
      [
        'record,phone,first_name,last_name,application_id,date,stage,closed_on',
        'borrower,9800000001,Asha,Rao,,,,',
        'application,9800000001,,,A-1,2026-10-02,,2026-10-01',
        'stage,9800000001,,,A-1,2026-10-01,assessed,',
        'stage,9800000001,,,A-1,2026-10-02,sanctioned,',
        '',
      ].join('\n'),
      [
        'line 3: closed_on: 2026-10-01 is before the application, 2026-10-02',
        'line 4: date: 2026-10-01 is before the application, 2026-10-02',
      ],
    ],
    [
      'an open quote, after which nothing is read',
      book(loan(), disbursal('L-9'), '"borrower'),
      ['line 4: a quote is opened and not closed'],
    ],
    [
      'characters that cannot be shown',
      book(borrower('9800000001', 'R\u0000ao'), borrower('9800000002', 'R\u202eao')),
      ['line 2: last_name: has a character that cannot be shown', 'line 3: last_name: has a character that cannot be shown'],
    ],
  ])('with %s is refused, and nothing of it is in', async (_what, text, told) => {
    expect(await refusal(text)).toEqual(told)
    expect(await counts()).toEqual([0, 0, 0, 0, 0, 0, 0])
  })
  it('with a loan under a floating-rate product that has a prepayment charge is refused, however the product came in', async () => {
    await addProduct(context.database, demoBookNow, 'floating', {
      ...educationLoan,
      rate_type: 'floating',
      prepayment_charge: { percent: 2, tax_percent: 18 },
    })
    expect(await refusal(book(borrower(), loan().replace('education', 'floating'), disbursal()))).toEqual([
      'line 3: product: floating version 1: a floating-rate loan to an individual must not have a prepayment charge: set prepayment_charge to null, or sanctioned_until to 2025-12-31 or earlier',
    ])
    expect(await counts()).toEqual([0, 0, 0, 0, 0, 0, 0])
  })
  it('tells every bad line of a book that has little else', async () => {
    const told = await refusal(book(...good, Array.from({ length: 200_000 }, (_, index) => payment(`U${index}`, 'x')).join('\n')))
    expect(told).toHaveLength(200_000)
    expect(told.at(-1)).toMatch(/^line 200004: amount: "x" is not /)
  })
})

describe('past changes of a rate', () => {
  beforeEach(open)
  afterEach(close)

  const columns =
    'record,phone,first_name,last_name,lan,title,product,sanctioned_on,sanctioned_amount,annual_rate_percent,instalments,first_due_date,reference,date,amount,mode,keep'
  const lines = (...more: readonly string[]) => [columns, ...more, ''].join('\n')
  const newLoan = [
    'borrower,9800000001,Asha,Rao,,,,,,,,,,,,,',
    'loan,9800000001,,,F-1,Course,floating,2025-06-05,120000,11,24,2025-07-05,,,,,',
    'disbursal,,,,F-1,,,,,,,,D1,2025-06-05,120000,,',
  ]
  const change = (date: string, percent: string, keep: string, amount = '', lan = 'F-1') =>
    `rate_change,,,,${lan},,,,,${percent},,,,${date},${amount},,${keep}`
  const changes = [
    change('2025-10-15', '11.5', 'instalment'),
    change('2026-04-05', '10.75', 'tenor'),
    change('2026-07-20', '12', 'both', '7000'),
  ]
  const paid = 'payment,,,,F-1,,,,,,,,U1,2025-07-05,5593,neft,'
  const factsOfLoan = async () => {
    const key = await context.database.asSystem((sql) => findLoanKey(sql, 'F-1'))
    const loans = await context.database.asSystem((sql) => readLoans(sql, key?.borrowerId ?? ''))
    const facts = await context.database.asSystem((sql) => readFacts(sql, loans))
    const known = facts.get(key?.loanId ?? '')
    if (!known) throw new Error('the loan has no facts')
    return known
  }

  it('count from their days, in the schedule and in the ledger', async () => {
    await load(context, product)
    // In any order.
    expect(await run(lines(...changes.toReversed(), ...newLoan, paid))).toBe(
      'imported: 1 borrowers, 1 loans, 1 disbursals, 3 rate changes, 1 payments, 0 applications, 0 stages',
    )
    const facts = await factsOfLoan()
    expect(facts.rateChanges).toEqual([
      { date: '2025-10-15', annualRatePpb: 115_000_000, keep: 'instalment' },
      { date: '2026-04-05', annualRatePpb: 107_500_000, keep: 'tenor' },
      { date: '2026-07-20', annualRatePpb: 120_000_000, keep: 'both', instalmentPaise: rupeesToPaise(7_000) },
    ])
    const state = loanStateDuring(facts, dayInIndia(demoBookNow))
    expect(
      state.rows
        .filter(({ dueDate }) => dueDate > '2026-08-05')
        .slice(0, -1)
        .every((row) => row.repaymentAmountPaise === rupeesToPaise(7_000)),
    ).toBe(true)
    await expectInvariantsHold(context)
    expect(await run(lines(...newLoan, ...changes, paid))).toBe('unchanged: all 7 records were imported before')
  })

  it.each([
    ['of a day ahead', [change('2026-11-02', '12', 'tenor')], ['line 5: date: 2026-11-02 is in the future']],
    [
      'twice on a day',
      [change('2026-04-05', '12', 'tenor'), change('2026-04-05', '13', 'tenor')],
      ['line 6: the rate change of 2026-04-05 of loan F-1 is in line 5 already'],
    ],
    ['that keeps nothing known', [change('2026-04-05', '12', 'emi')], ['line 5: keep: "emi" is not one of instalment, tenor, both']],
    ['without what is kept', [change('2026-04-05', '12', '')], ['line 5: keep: is missing']],
    [
      'of both without an instalment',
      [change('2026-04-05', '12', 'both')],
      ['line 5: amount: is missing: keep both needs the new instalment'],
    ],
    [
      'to an instalment that does not repay the loan',
      [change('2026-04-05', '12', 'both', '100')],
      [expect.stringMatching(/^line 5: amount: must be more than a month's interest, /)],
    ],
    [
      'with an instalment that is computed',
      [change('2026-04-05', '12', 'tenor', '5000')],
      ['line 5: amount: keep tenor has none: the instalment is computed'],
    ],
    [
      'to no rate',
      [change('2026-04-05', '12 %', 'tenor')],
      ['line 5: annual_rate_percent: "12 %" is not a percentage from 0 to 1000 with at most seven decimals'],
    ],
    ['of no loan', [change('2026-04-05', '12', 'tenor', '', 'F-2')], ['line 5: lan: there is no loan F-2 in the book or the portal']],
  ])('a change %s is refused', async (_what, more, told) => {
    await load(context, product)
    expect(await refusal(lines(...newLoan, ...more))).toEqual(told)
  })

  it('of a loan that is in the portal are refused: its rate is changed by a reset', async () => {
    await load(context, product)
    await run(lines(...newLoan, ...changes))
    expect(await refusal(lines(change('2026-08-05', '12', 'tenor')))).toEqual([
      'line 2: lan: loan F-1 is in the portal: its rate is changed by a reset',
    ])
    expect(await refusal(lines(change('2026-04-05', '12', 'tenor')))).toEqual([
      'line 2: date: the rate change of 2026-04-05 is stored with another rate',
    ])
  })
})
