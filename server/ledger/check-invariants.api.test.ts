import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql as raw } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { factsOf, termsOf } from '#domain/facts.testing.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import { runBulkTransaction } from '#server/database/bulk.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { checkInvariants, checkInTransaction } from './check-invariants.ts'
import { componentFaults } from './invariants/loan-checks.ts'

const now = new Date('2026-11-20T05:00:00Z')
let town: TestContext

beforeAll(async () => {
  town = await openTestContext(inject('cluster'), { now, town: true })
})
afterAll(() => town.close())

class RollBack extends Error {}

/**
 * The violations found after one was written with the owner's login; the transaction is then rolled
 * back.
 */
async function brokenBy(statement: string): Promise<string[]> {
  let told: string[] = []
  const planted = runBulkTransaction(town.superuserUrl, async ({ sql }) => {
    await raw.raw(statement).execute(sql)
    const { broken } = await checkInTransaction(sql, { now })
    told = broken.map(({ id, detail }) => `${id} ${detail}`)
    throw new RollBack()
  })
  await expect(planted).rejects.toThrow(RollBack)
  return told
}

const someRepayment = "(select transaction_id from ledger_transactions where kind = 'repayment' order by transaction_id limit 1)"
const someLink = '(select payment_intent_id from payment_links order by payment_intent_id limit 1)'
/** A transaction of ₹5 within the loan of some repayment. */
const bogus = (kind: string, debit: string, credit: string, more = 'null', sequence = 'sequence + 1000', source = kind) => `
  with base as (select * from ledger_transactions where transaction_id = ${someRepayment}),
  added as (
    insert into ledger_transactions (borrower_id, loan_id, transaction_id, sequence, kind, source, source_id, value_date, posted_at, amount_paise, reverses_transaction_id, actor_id, request_hash, chain_hash)
    select borrower_id, loan_id, 'ffffffff-0000-7000-8000-000000000000', ${sequence}, '${kind}', '${source}', loan_id || ':bogus', value_date, now(), 500, ${more}, 'operator', '', '' from base
    returning *)
  insert into ledger_entries (borrower_id, loan_id, transaction_id, line, account, debit_paise, credit_paise)
  select borrower_id, loan_id, transaction_id, 1, '${debit}', 500, 0 from added union all select borrower_id, loan_id, transaction_id, 2, '${credit}', 0, 500 from added`

/** A refund of the payment above. */
const plantedRefund = (status: string, transactionId: string, amount: string) => `
  insert into refunds (borrower_id, loan_id, refund_id, provider, provider_payment_id, payment_intent_id, amount_paise, reason, status, asked_at, asked_by,
    processed_at, provider_refund_id, transaction_id, next_check_at)
  select borrower_id, loan_id, gen_random_uuid(), provider, provider_payment_id, payment_intent_id, ${amount}, 'excess', ${status}, paid_at, 'operator',
    case when ${status} = 'processed' then paid_at end, case when ${status} = 'processed' then 'rfnd_planted' end, ${transactionId}, paid_at from provider_payments where transaction_id = ${someRepayment}`
/** A settlement of only that payment. */
const plantedSettlement = (amount: string, credit: string, fee: string, tax: string) => `
  with s as (insert into settlements (provider, settlement_id, settled_at, amount_paise, fees_paise, tax_paise, seen_at)
    select provider, 'setl_1', paid_at, ${amount}, 0, 0, paid_at from provider_payments where transaction_id = ${someRepayment})
  insert into settlement_lines (provider, settlement_id, entity_id, type, debit_paise, credit_paise, amount_paise, fee_paise, tax_paise)
  select provider, 'setl_1', provider_payment_id, 'payment', 0, ${credit}, amount_paise, ${fee}, ${tax} from provider_payments where transaction_id = ${someRepayment}`

/** An active mandate of some link's loan with a presented debit; `change` then breaks it. */
const plantedDebit = (change: string) => `
  insert into mandates (borrower_id, mandate_id, loan_id, reference, provider, method, status, max_amount_paise, consent_version, consented_at,
    expires_at, ends_on, created_at, created_by, active_at, next_check_at)
  select borrower_id, payment_intent_id, loan_id, 'KM1', 'razorpay', 'upi', 'active', 600000, '1', '2026-11-01', '2026-11-02', '2030-01-01',
    '2026-11-01', 'x', '2026-11-02', '2026-11-21' from payment_links where payment_intent_id = ${someLink};
  insert into collections (borrower_id, collection_id, loan_id, mandate_id, reference, due_on, attempt, planned_by, first_debit_on, debit_on, amount_paise,
    parts, status, delivered_at, presented_at, value_date, created_at, next_check_at)
  select borrower_id, gen_random_uuid(), loan_id, mandate_id, 'KC1', '2026-11-19', 1, 'system', '2026-11-19', '2026-11-19', 500000,
    '[]', 'presented', '2026-11-17', '2026-11-19', '2026-11-19', '2026-11-16', '2026-11-21' from mandates;
  insert into autopay_references select reference, borrower_id, mandate_id, null from mandates;
  insert into autopay_references select reference, borrower_id, mandate_id, collection_id from collections;
  ${change}`
/** Attempts after the debit above, planned by the system, and how each of those before failed. */
const plantedRetries = (...failures: readonly string[]) =>
  plantedDebit(
    failures
      .map(
        (failure, index) => `
  update collections set status = 'failed', failure_class = '${failure}', ended_at = presented_at where status = 'presented';
  insert into collections select (jsonb_populate_record(collections, jsonb_build_object('collection_id', gen_random_uuid(),
    'reference', 'KC${index + 2}', 'attempt', ${index + 2}, 'status', 'presented', 'failure_class', null, 'ended_at', null,
    'presented_at', presented_at + interval '3 days'))).* from collections where reference = 'KC${index + 1}';
  insert into autopay_references select reference, borrower_id, mandate_id, collection_id from collections where reference = 'KC${index + 2}'`,
      )
      .join(';'),
  )
const askedByBorrower = "update collections set planned_by = borrower_id where reference = 'KC2'"

describe('the demo town', () => {
  it('breaks nothing', async () => {
    expect(await brokenBy('select 1')).toEqual([])
    expect(await checkInvariants(town.database, { now })).toEqual({ checked: 36, broken: [] })
  })
})

it('a migrated database has a receipt for every payment of before, as if it had been given then', async () => {
  const migration = readFileSync(join(import.meta.dirname, '../database/migrations/0005_receipts.sql'), 'utf8')
  const backfill = migration.slice(migration.indexOf('insert into receipts'), migration.indexOf('-- Which receipt'))
  const compare = `
    do $$ begin
      create temporary table given on commit drop as select * from receipts;
      delete from receipts;
      ${backfill}
      if exists ((table receipts except table given) union all (table given except table receipts)) or not exists (table given) then
        raise exception 'other receipts';
      end if;
    end $$`
  expect(await brokenBy(compare)).toEqual([])
})

describe('a planted violation is found', () => {
  it.each([
    [
      'I1',
      'a debit without its credit',
      `update ledger_entries set debit_paise = debit_paise + 100 where transaction_id = ${someRepayment} and debit_paise > 0`,
    ],
    ['I1', 'a transaction without entries', `delete from ledger_entries where transaction_id = ${someRepayment}`],
    ['I1', 'entries without a transaction', `delete from ledger_transactions where transaction_id = ${someRepayment}`],
    [
      'I2',
      'debits that are not the credits',
      `update ledger_entries set debit_paise = debit_paise + 100 where transaction_id = ${someRepayment} and debit_paise > 0`,
    ],
    ['I3', 'a right to change entries', 'grant update on ledger_entries to kist_app'],
    ['I3', 'a right to change one column', 'grant update (posted_at) on ledger_transactions to kist_app'],
    ['I3', 'a right to remove lines of the access log', 'grant delete on access_log to kist_app'],
    ['I4', 'amounts that are no whole numbers', 'alter table charges alter amount_paise type numeric'],
    ['I5', 'a captured payment without a posting', "update provider_payments set transaction_id = null, seen_at = '2026-11-20T04:00:00Z'"],
    ['I5', 'a posted payment that was never captured', `delete from provider_payments where transaction_id = ${someRepayment}`],
    [
      'I5',
      'a payment posted to two borrowers',
      `update ledger_transactions set source_id = 'pay_same' where transaction_id in (select (array_agg(transaction_id order by transaction_id))[1] from ledger_transactions where kind = 'repayment' group by borrower_id)`,
    ],
    [
      'I6',
      'another amount than was captured',
      `update provider_payments set amount_paise = amount_paise + 1 where transaction_id = ${someRepayment}`,
    ],
    [
      'I7',
      'a link with more than was captured on it',
      `update payment_links set amount_paid_paise = amount_paid_paise + 1 where payment_intent_id = ${someLink}`,
    ],
    [
      'I8',
      'a link that does not know of its posting',
      `update payment_links set rps_updated = false where payment_intent_id = ${someLink}`,
    ],
    [
      'I8',
      'rps_updated is set while old money is not in the ledger',
      `update provider_payments set transaction_id = null, seen_at = '2026-11-20T04:00:00Z' where transaction_id = ${someRepayment}`,
    ],
    ['I9', 'a paid link that is short', `update payment_links set amount_paise = amount_paise + 100 where payment_intent_id = ${someLink}`],
    [
      'I9',
      'a paid link whose payment cannot be read, however often it is looked at',
      `update payment_links set amount_paid_paise = 0, rps_updated = false, provider_checked_at = '${now.toISOString()}' where payment_intent_id = ${someLink}`,
    ],
    [
      'I10',
      'two open links of a loan',
      "do $$ begin drop index payment_links_one_standing; update payment_links set status = 'created'; end $$",
    ],
    ['I11', 'a link that its reference does not find', 'delete from payment_references'],
    ['I11', 'a reference of two links', `update payment_links set reference = 'KST-same'`],
    [
      'I12',
      'a step that no link may take',
      "update payment_link_history set from_status = 'paid', to_status = 'created' where from_status = 'creating'",
    ],
    [
      'I12',
      'a status that the history does not end with',
      `update payment_links set status = 'expired' where payment_intent_id = ${someLink}`,
    ],
    ['I13', 'a disbursal that is not in the ledger so', 'update disbursals set amount_paise = amount_paise - 1'],
    ['I13', 'a principal below 0', `update ledger_entries set account = 'excess' where account = 'principal' and debit_paise > 0`],
    [
      'I15',
      'interest posted as credit',
      `update ledger_entries set account = 'excess' where transaction_id = ${someRepayment} and account = 'interest'`,
    ],
    [
      'I23',
      'a credit below 0',
      `update ledger_entries set account = 'excess' where transaction_id = ${someRepayment} and account = 'provider_clearing'`,
    ],
    ['I16', 'more refunded than captured', plantedRefund("'asked'", 'null', 'amount_paise + 1')],
    ['I16', 'a refund that has left and is not in the ledger', plantedRefund("'processed'", 'gen_random_uuid()', 'amount_paise')],
    [
      'I16',
      'a refund in the ledger without a refund row',
      bogus('refund', 'excess', 'provider_clearing', 'null', 'sequence + 1000', 'razorpay'),
    ],
    ['I17', 'a refund that has left, and clearing still holds it', plantedRefund("'processed'", 'gen_random_uuid()', 'amount_paise')],
    ['I18', 'a settlement that is not its lines', plantedSettlement('amount_paise + 1', 'amount_paise', '0', '0')],
    ['I18', 'a line that is nowhere', plantedSettlement('amount_paise', 'amount_paise', '0', '0')],
    ['I18', 'a fee that is less than its tax', plantedSettlement('amount_paise', 'amount_paise', '1', '2')],
    [
      'I17',
      'captured money that is not in clearing',
      `update ledger_entries set account = 'collection_bank' where transaction_id = ${someRepayment} and account = 'provider_clearing'`,
    ],
    ['I19', 'a reversal of a part', bogus('reversal', 'principal', 'provider_clearing', 'transaction_id')],
    ['I19', 'a reversal of nothing', bogus('reversal', 'principal', 'provider_clearing', "'eeeeeeee-0000-7000-8000-000000000000'::uuid")],
    [
      'I20',
      'an event that was not processed',
      "insert into webhook_inbox (provider, event_id, received_at, next_attempt_at, event_type, body) values ('razorpay', 'e1', '2026-11-19T00:00:00Z', '2026-11-19T00:00:00Z', 'payment_link.paid', '')",
    ],
    ['I21', 'a transaction that no fact brings about', bogus('adjustment', 'waivers', 'interest')],
    ['I23', 'facts that do not add up', 'update loans set sanctioned_paise = 100'],
    ['I23', 'a balance that is not the one of the facts', bogus('disbursal', 'principal', 'disbursal_bank')],
    ['I24', 'a gap in the sequence', `update ledger_transactions set sequence = sequence + 1000 where transaction_id = ${someRepayment}`],
    [
      'I24',
      'a transaction of no loan',
      `update ledger_transactions set loan_id = 'eeeeeeee-0000-7000-8000-000000000000' where transaction_id = ${someRepayment}`,
    ],
    [
      'I24',
      'a transaction with another actor than it was posted with',
      `update ledger_transactions set actor_id = 'system' where transaction_id = ${someRepayment}`,
    ],
    [
      'I24',
      'an entry of another instalment than was posted',
      `update ledger_entries set instalment_number = 99 where transaction_id = ${someRepayment} and account = 'interest'`,
    ],
    ['I25', 'a payment without a receipt', `delete from receipts where transaction_id = ${someRepayment}`],
    ['I25', 'a receipt of another amount', `update receipts set amount_paise = amount_paise + 1 where transaction_id = ${someRepayment}`],
    [
      'I25',
      'a receipt with another bank reference',
      `update receipts set bank_reference = '000000000000' where transaction_id = ${someRepayment}`,
    ],
    [
      'I25',
      'a receipt of no payment',
      `update receipts set transaction_id = 'ffffffff-0000-7000-8000-000000000000' where transaction_id = ${someRepayment}`,
    ],
    ['I25', 'a number that is missing', `update receipts set sequence = sequence + 1000 where transaction_id = ${someRepayment}`],
    ['I25', 'a number of another loan', "update receipts set receipt_number = 'X' || receipt_number"],
    ['I3', 'a right to change receipts', 'grant update (amount_paise) on receipts to kist_app'],
    ['I25', 'a posting of another payment', "update provider_payments set transaction_id = '00000000-0000-7000-8000-000000000000'"],
    [
      'I26',
      'an open link of a closed loan',
      "update payment_links set status = 'created' where payment_intent_id = (select payment_intent_id from payment_links join loans using (borrower_id, loan_id) where lan = 'KST-22-000045' limit 1)",
    ],
    [
      'I31',
      'credit of a closed loan whose follow-up always fails',
      `update loan_follow_ups set next_check_at = '${now.toISOString()}'::timestamptz + interval '6 hours', attempts = 13; delete from refunds`,
    ],
    [
      'I35',
      'a link beside a presented debit',
      plantedDebit(`update payment_links set status = 'created' where payment_intent_id = ${someLink}`),
    ],
    ['I36', 'a debit without a notice', plantedDebit('update collections set delivered_at = null')],
    ['I36', 'a debit of the day of its notice', plantedDebit("update collections set delivered_at = '2026-11-18T01:00:00Z'")],
    ['I36', 'a debit of a mandate that was over', plantedDebit("update mandates set end_requested_at = '2026-11-18'")],
    ['I36', 'a debit above the cap', plantedDebit('update mandates set max_amount_paise = 1')],
    ['I36', 'a debit that nobody asked for again', plantedRetries('funds')],
    ['I36', 'the same behind another failure', plantedRetries('technical', 'funds')],
    ['I36', 'a second debit that nobody asked for', plantedRetries('technical', 'technical')],
    ['I37', 'a captured debit without money', plantedDebit("update collections set status = 'captured', ended_at = presented_at")],
    [
      'I37',
      'money of a debit that is not known as captured',
      plantedDebit(
        `update collections set provider_payment_id = 'pay_9'; update provider_payments set provider_payment_id = 'pay_9' where transaction_id = (
          select p.transaction_id from provider_payments p join collections using (borrower_id) limit 1)`,
      ),
    ],
    ['I38', 'a mandate that its reference does not find', plantedDebit("delete from autopay_references where reference = 'KM1'")],
    ['I38', 'a debit that its reference does not find', plantedDebit("delete from autopay_references where reference = 'KC1'")],
    ['I38', 'a debit of no mandate', plantedDebit('update collections set mandate_id = collection_id')],
    ['I33', 'another annual percentage rate', 'update loans set apr_basis_points = apr_basis_points + 1'],
    [
      'I28',
      'a transaction without an actor',
      `update ledger_transactions set actor_id = 'eeeeeeee-0000-7000-8000-000000000000' where transaction_id = ${someRepayment}`,
    ],
    [
      'I29',
      'a payment that counts from another day',
      `update provider_payments set paid_at = '2001-01-01' where transaction_id = ${someRepayment}`,
    ],
    [
      'I29',
      'a booking before the one it follows',
      `update ledger_transactions set posted_at = '2001-01-01' where transaction_id = ${someRepayment}`,
    ],
  ])('%s: %s', async (id, _what, statement) => {
    const broken = await brokenBy(statement)
    expect(broken.map((line) => line.split(' ')[0])).toContain(id)
  })
  it.each([
    ['a presented debit', plantedDebit('')],
    ['another attempt after a technical failure', plantedRetries('technical')],
    [
      'another attempt after the technical failure of one that the borrower asked for',
      `${plantedRetries('funds', 'technical')};${askedByBorrower}`,
    ],
  ])('none in %s', async (_what, statement) => {
    expect(await brokenBy(statement)).toEqual([])
  })
  it('reports the first details of one kind and the number of the others', async () => {
    const broken = await brokenBy('delete from payment_references')
    expect(broken.filter((line) => line.startsWith('I11'))).toHaveLength(21)
    expect(broken.find((line) => line.startsWith('I11 and'))).toMatch(/^I11 and \d+ more$/)
  })
})

describe('I14', () => {
  const state = loanStateDuring(
    factsOf(
      termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' }),
      [['2026-01-05', 120_000]],
      [['2026-02-05', 10_662]],
    ),
    toDay('2026-02-06'),
  )
  const row = state.rows[0]
  if (!row) throw new Error('The loan has no rows')
  const withRow = (change: Partial<typeof row>) => ({ ...state, rows: [{ ...row, ...change }, ...state.rows.slice(1)] })

  it('holds for the domain’s own result', () => {
    expect(componentFaults(state)).toEqual([])
  })
  it.each([
    ['more interest paid than billed', { paidInterestPaise: paise(row.interestPaise + 1n) }],
    ['less than no principal paid', { paidPrincipalPaise: paise(-1n) }],
    ['another principal paid than the allocations say', { paidPrincipalPaise: paise(row.paidPrincipalPaise - 1n) }],
  ])('finds %s', (_what, change) => {
    expect(componentFaults(withRow(change))).not.toEqual([])
  })
})
