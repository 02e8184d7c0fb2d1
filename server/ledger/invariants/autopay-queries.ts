import { sql } from 'kysely'
import { localTable, type InvariantQuery } from './invariant.ts'

/** By how much the clocks of the two servers may differ that store two instants. */
const clockSpread = sql`interval '20 minutes'`

/** The invariants of mandates and their debits. */
export const autopayQueries: readonly InvariantQuery[] = [
  {
    id: 'I35',
    rule: 'no payment link can be paid while a debit of the loan is presented',
    violations: () => sql`
      select 'link ' || l.reference || ' can be paid while debit ' || c.reference || ' is presented' as detail
      from collections c
      join payment_links l on l.borrower_id = c.borrower_id and l.loan_id = c.loan_id
      where c.status = 'presented' and l.status in ('creating', 'created', 'partially_paid')`,
  },
  {
    id: 'I36',
    rule: 'a debit is presented 24 hours after its notice, under an active mandate, not above its cap, and again only for the borrower or once after a technical failure',
    violations: () => sql`
      with presented as (
        select c.*, m.status as mandate_status, m.active_at, m.ended_at as mandate_ended_at, m.end_requested_at, m.max_amount_paise,
          lag(c.failure_class) over (
            partition by c.borrower_id, c.loan_id, c.mandate_id, c.due_on order by c.presented_at) as failure_before,
          count(*) filter (where c.planned_by = 'system' and c.attempt > 1) over (
            partition by c.borrower_id, c.loan_id, c.due_on) as own_retries
        from collections c left join mandates m on m.borrower_id = c.borrower_id and m.mandate_id = c.mandate_id and m.loan_id = c.loan_id
        where c.presented_at is not null
      )
      select 'debit ' || reference || ' was presented without a notice 24 hours before' as detail
      from presented where delivered_at is null or presented_at < delivered_at + interval '24 hours'
      union all
      select 'debit ' || reference || ' was presented, and its mandate was not active'
      from presented where active_at is null or presented_at < active_at
        or presented_at > least(mandate_ended_at, end_requested_at) + ${clockSpread}
      union all
      select 'debit ' || reference || ' of ' || amount_paise || ' paise is above the cap of ' || max_amount_paise
      from presented where amount_paise > max_amount_paise
      union all
      select 'debit ' || reference || ' tries again what failed, without the borrower'
      from presented where planned_by = 'system' and (failure_before <> 'technical' or own_retries > 1)`,
  },
  {
    id: 'I37',
    rule: 'money is captured of a debit if and only if it is known as captured',
    violations: () => sql`
      select 'debit ' || c.reference || ' is captured, and its payment ' || coalesce(c.provider_payment_id, '') || ' is not stored' as detail
      from collections c
      where c.status = 'captured' and not exists (
        select from provider_payments p
        where p.borrower_id = c.borrower_id and p.loan_id = c.loan_id and p.provider_payment_id = c.provider_payment_id)
      union all
      select 'payment ' || p.provider_payment_id || ' was captured, and its debit ' || c.reference || ' is ' || c.status
      from collections c
      join provider_payments p on p.borrower_id = c.borrower_id and p.provider_payment_id = c.provider_payment_id
      where p.captured and c.status <> 'captured'`,
  },
  {
    id: 'I38',
    rule: 'a mandate and a debit are found by their references, and a debit belongs to a mandate of its loan',
    violations: () => sql`
      select 'mandate ' || m.reference || ' is not found by its reference' as detail
      from mandates m left join ${localTable('autopay_references')} r
        on r.reference = m.reference and r.borrower_id = m.borrower_id and r.mandate_id = m.mandate_id and r.collection_id is null
      where r.reference is null
      union all
      select 'debit ' || c.reference || ' is not found by its reference'
      from collections c left join ${localTable('autopay_references')} r
        on r.reference = c.reference and r.borrower_id = c.borrower_id and r.collection_id = c.collection_id
      where r.reference is null
      union all
      select 'debit ' || c.reference || ' has no mandate of its loan'
      from collections c
      where not exists (
        select from mandates m where m.borrower_id = c.borrower_id and m.mandate_id = c.mandate_id and m.loan_id = c.loan_id)`,
  },
]
