import { sql as raw } from 'kysely'
import { isSamePerson } from '#server/operations/four-eyes.ts'
import { findUsersByIds } from '#server/auth/user-store.ts'
import type { Portal } from './portal.ts'

/** Findings, a line each. */
export type OperationFindings = Record<'selfApproved' | 'staleExecuted' | 'lost' | 'doubled' | 'broken', string[]>

type Row = {
  proposal_id: string
  kind: string
  state: string
  maker_id: string
  checker_id: string | null
  entries: bigint
  effects: bigint | null
  postings: bigint
}

/**
 * Compares every proposal with what it caused: the entries of the access log, the fact, and the
 * ledger transactions that name it. Only the database decides, not what was answered.
 */
export async function verifyOperations(portal: Portal, found: OperationFindings): Promise<void> {
  const { rows } = await portal.database().asSystem((sql) => proposals.execute(sql))
  const userIds = rows.flatMap(({ maker_id, checker_id }) => (checker_id === null ? [maker_id] : [maker_id, checker_id]))
  const staff = await portal.database().asSystem(async (sql) => findUsersByIds(sql, [...new Set(userIds)]))
  const executed = rows.filter(({ state }) => state === 'executed').length
  // A suite in which hardly anything is executed shows nothing.
  if (executed < rows.length / 4) found.broken.push(`only ${executed} of ${rows.length} proposals were executed`)
  for (const row of rows) {
    const what = `${row.kind} ${row.proposal_id}`
    const maker = staff.find(({ user_id }) => user_id === row.maker_id)
    const checker = staff.find(({ user_id }) => user_id === row.checker_id)
    const isExecuted = row.state === 'executed'
    if (isExecuted && (!maker || !checker || isSamePerson(maker, checker))) found.selfApproved.push(`${what} was executed by one person`)
    if (isExecuted && (row.entries === 0n || row.effects === 0n)) found.lost.push(`${what}: ${row.entries} entries, ${row.effects} effects`)
    if (isExecuted && (row.entries > 1n || (row.effects ?? 0n) > 1n))
      found.doubled.push(`${what}: ${row.entries} entries, ${row.effects} effects`)
    if (!isExecuted && row.entries + row.postings > 0n)
      found.broken.push(`${what} is ${row.state}, with ${row.entries} entries and ${row.postings} postings`)
  }
}

/**
 * `effects`: the facts of an executed proposal; null for kinds whose entry names them. A link that
 * was cancelled first has an entry of its own, also if the proposal is refused after that.
 */
const proposals = raw<Row>`
  select p.proposal_id, p.kind, p.state, p.maker_id, p.checker_id,
    (select count(*) from access_log l where l.subject_id = p.borrower_id and l.detail->>'proposal' = p.proposal_id::text
      and l.action not like 'proposal\\_%' and l.action <> 'payment_link_cancelled') as entries,
    (select count(*) from ledger_transactions t where t.borrower_id = p.borrower_id and t.source = 'operations'
      and t.source_id like p.proposal_id || ':%') as postings,
    case p.kind
      when 'charge_add' then (select count(*) from charges c where c.borrower_id = p.borrower_id and c.charge_id = 'charge:' || p.proposal_id)
      when 'charge_waive' then (select count(*) from charges c where c.borrower_id = p.borrower_id and c.charge_id = p.input->>'charge_id'
        and c.waived_on is not null)
      when 'payment_record' then (select count(*) from ledger_transactions t where t.borrower_id = p.borrower_id and t.kind = 'repayment'
        and t.source = p.input->>'mode' and t.source_id = p.input->>'reference')
      when 'credit_return' then (select count(*) from ledger_transactions t where t.borrower_id = p.borrower_id and t.kind = 'refund'
        and t.source = p.input->>'mode' and t.source_id = p.input->>'reference')
      when 'payment_reverse' then (select count(*) from ledger_transactions t where t.borrower_id = p.borrower_id and t.kind = 'reversal'
        and t.source = 'operations' and t.source_id like p.proposal_id || ':%')
      when 'tranche_approve' then (select count(*) from tranches c where c.borrower_id = p.borrower_id
        and c.partner_tranche_id = p.input->>'partner_tranche_id' and c.stage = 'approved')
      when 'tranche_reject' then (select count(*) from tranches c where c.borrower_id = p.borrower_id
        and c.partner_tranche_id = p.input->>'partner_tranche_id' and c.stage = 'rejected')
      when 'tranche_release' then (select count(*) from disbursals c where c.borrower_id = p.borrower_id
        and c.partner_tranche_id = p.input->>'partner_tranche_id')
      when 'review_resolve' then (select count(*) from payment_reviews c where c.borrower_id = p.borrower_id
        and c.review_id::text = p.input->>'review_id' and c.resolved_at is not null)
      when 'benchmark_publish' then (select count(*) from benchmarks c where c.benchmark_code = p.input->>'code')
      when 'rate_reset_run' then (select count(*) from rate_reset_runs c where c.benchmark_code = p.input->>'benchmark'
        and c.effective_on::text = p.input->>'effective_on' and c.requested_at = p.decided_at)
      when 'rate_reset_withdraw' then (select count(*) from rate_resets c where c.borrower_id = p.borrower_id
        and c.reset_id::text = p.input->>'reset_id' and c.state = 'withdrawn')
      when 'paper_publish' then (select count(*) from loan_papers c where c.borrower_id = p.borrower_id
        and c.paper_id::text = p.input->>'paper_id' and c.published_at is not null)
    end as effects
  from operation_proposals p`
