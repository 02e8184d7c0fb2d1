import { sql } from 'kysely'
import type { InvariantQuery } from './invariant.ts'

/** The invariants of refunds and settlements. */
export const refundQueries: readonly InvariantQuery[] = [
  {
    id: 'I16',
    rule: 'refunds of a payment do not exceed it, and a refund is posted once',
    violations: () => sql`
      select 'of payment ' || r.provider_payment_id || ' of ' || coalesce(p.amount_paise, 0) || ' paise are refunded ' || sum(r.amount_paise) as detail
      from refunds r left join provider_payments p using (borrower_id, provider, provider_payment_id)
      where r.status <> 'failed' group by r.provider_payment_id, p.amount_paise
      -- The payer's bank can take back money of which credit was refunded.
      having sum(r.amount_paise) filter (where r.reason <> 'excess') > coalesce(p.amount_paise, 0)
        or sum(r.amount_paise) filter (where r.provider_refund_id is null or r.provider_refund_id not like 'returned:%') > coalesce(p.amount_paise, 0)
      union all
      select 'refund ' || r.refund_id || ' of ' || r.amount_paise || ' paise is posted with ' || coalesce(t.amount_paise, 0)
      from refunds r left join ledger_transactions t using (borrower_id, loan_id, transaction_id)
      where r.status = 'processed' and (t.amount_paise is distinct from r.amount_paise or t.kind <> 'refund'
        or t.source_id <> coalesce(r.provider_refund_id, r.refund_id::text))
      union all
      select 'refund transaction ' || t.transaction_id || ' is of ' || count(r.refund_id) || ' refunds'
      from ledger_transactions t left join refunds r using (borrower_id, loan_id, transaction_id)
      where t.kind = 'refund' and t.source = 'razorpay' group by t.transaction_id having count(r.refund_id) <> 1`,
  },
  {
    id: 'I18',
    rule: 'a settlement is the sum of its lines, each line is posted, a fee includes its tax; or it is under review',
    // Settlements are on the coordinator; what matters of reviews and entries comes first.
    violations: () => sql`
      with reviewed as materialized (
        select about from payment_reviews where about like 'settlement%' or about like 'not_reconciled:%'
      ), posted as materialized (
        select borrower_id, loan_id, transaction_id, sum(debit_paise - credit_paise) as net
        from ledger_entries where account = 'settlement_bank' group by 1, 2, 3
      )
      select 'settlement ' || s.settlement_id || ' of ' || s.amount_paise || ' paise has lines of ' || coalesce(l.net, 0) as detail
      from settlements s
      left join (
        select provider, settlement_id, sum(credit_paise - debit_paise) as net from settlement_lines group by 1, 2
      ) l using (provider, settlement_id)
      where s.amount_paise is distinct from l.net
        and not exists (select from reviewed v where v.about = 'settlement_amount:' || s.settlement_id)
      union all
      select 'line ' || l.entity_id || ' of settlement ' || l.settlement_id || ' is neither posted nor under review'
      from settlement_lines l join settlements s using (provider, settlement_id)
      where l.transaction_id is null and l.borrower_id is null and not exists (
        select from reviewed v
        where v.about in ('settlement_line:' || l.settlement_id || ':' || l.entity_id, 'not_reconciled:' || l.settlement_id || ':' || l.entity_id)
      )
      union all
      select 'line ' || l.entity_id || ' of settlement ' || l.settlement_id || ' with ' || l.credit_paise - l.debit_paise || ' paise is posted with ' || coalesce(e.net, 0)
      from settlement_lines l
      left join posted e using (borrower_id, loan_id, transaction_id)
      where l.transaction_id is not null and l.credit_paise - l.debit_paise <> coalesce(e.net, 0)
      union all
      select 'line ' || l.entity_id || ' of settlement ' || l.settlement_id || ' has a fee of ' || l.fee_paise || ' paise with a tax of ' || l.tax_paise
      from settlement_lines l
      where l.fee_paise < l.tax_paise and not exists (select from reviewed v where v.about = 'settlement_line:' || l.settlement_id || ':' || l.entity_id)`,
  },
]
