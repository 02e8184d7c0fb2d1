import { sql } from 'kysely'
import type { InvariantQuery } from './invariant.ts'

/** The invariants of the ledger by itself, without the loans' facts. */
export const ledgerQueries: readonly InvariantQuery[] = [
  {
    id: 'I1',
    rule: 'every transaction has two entries or more, and its debits, its credits and its amount are equal',
    violations: () => sql`
      select 'transaction ' || t.transaction_id || ' of ' || t.amount_paise || ' paise has ' || coalesce(e.entries, 0) || ' entries, debits '
        || coalesce(e.debits, 0) || ', credits ' || coalesce(e.credits, 0) as detail
      from ledger_transactions t
      left join (
        select borrower_id, loan_id, transaction_id, count(*) as entries, sum(debit_paise) as debits, sum(credit_paise) as credits
        from ledger_entries group by borrower_id, loan_id, transaction_id
      ) e using (borrower_id, loan_id, transaction_id)
      where e.entries is null or e.entries < 2 or e.debits <> e.credits or e.debits <> t.amount_paise or t.amount_paise <= 0
      union all
      select 'entries of transaction ' || e.transaction_id || ' have no transaction row'
      from (select distinct borrower_id, loan_id, transaction_id from ledger_entries) e
      left join ledger_transactions t using (borrower_id, loan_id, transaction_id)
      where t.transaction_id is null`,
  },
  {
    id: 'I2',
    rule: 'total debits equal total credits',
    violations: () => sql`
      select 'debits of ' || sum(debit_paise) || ' paise, credits of ' || sum(credit_paise) as detail
      from ledger_entries having sum(debit_paise) <> sum(credit_paise)`,
  },
  {
    id: 'I3',
    rule: 'the serving login can only insert into the ledger, the receipts, the histories and the access log',
    violations: () => sql`
      select 'kist_app may ' || lower(privilege) || ' ' || name as detail
      from unnest(array['ledger_transactions', 'ledger_entries', 'receipts', 'payment_link_history', 'tranche_history', 'access_log', 'audit_anchors']) as name,
        unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) as privilege
      where case when privilege = 'UPDATE' then has_any_column_privilege('kist_app', name, privilege) else has_table_privilege('kist_app', name, privilege) end`,
  },
  {
    id: 'I4',
    rule: 'amounts are whole paise',
    violations: () => sql`
      select table_name || '.' || column_name || ' is ' || data_type as detail
      from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_paise' and data_type <> 'bigint'
      union all
      select 'entry ' || line || ' of transaction ' || transaction_id || ' has no amount, or two'
      from ledger_entries where (debit_paise > 0) = (credit_paise > 0) or debit_paise < 0 or credit_paise < 0`,
  },
  {
    id: 'I13',
    rule: 'every disbursal is in the ledger with its amount, and no principal balance is below 0',
    violations: () => sql`
      select 'disbursal ' || d.disbursal_id || ' of ' || d.amount_paise || ' paise is in the ledger with ' || coalesce(t.amount_paise, 0) as detail
      from disbursals d
      left join ledger_transactions t
        on t.borrower_id = d.borrower_id and t.loan_id = d.loan_id and t.kind = 'disbursal' and t.source in ('disbursal', 'operations')
        and right(t.source_id, 36) = d.disbursal_id::text and t.value_date = d.disbursed_on
      where t.amount_paise is distinct from d.amount_paise
      union all
      select 'disbursal transaction ' || t.transaction_id || ' has no disbursal'
      from ledger_transactions t
      left join disbursals d on d.borrower_id = t.borrower_id and d.loan_id = t.loan_id and d.disbursal_id::text = right(t.source_id, 36)
      where t.kind = 'disbursal' and d.disbursal_id is null
      union all
      select 'loan ' || loan_id || ' has a principal of ' || sum(debit_paise - credit_paise) || ' paise'
      from ledger_entries where account = 'principal' group by borrower_id, loan_id having sum(debit_paise - credit_paise) < 0`,
  },
  {
    id: 'I19',
    rule: 'a reversal negates one transaction exactly, with its reallocations, and only once',
    violations: () => sql`
      with taken_back as (
        select borrower_id, loan_id, reverses_transaction_id as root_id, count(*) as times
        from ledger_transactions where reverses_transaction_id is not null group by 1, 2, 3
      ), parts as (
        select r.borrower_id, r.loan_id, r.root_id, t.transaction_id
        from taken_back r join ledger_transactions t
          on t.borrower_id = r.borrower_id and t.loan_id = r.loan_id
          and r.root_id in (t.transaction_id, t.reverses_transaction_id, t.reallocates_transaction_id)
      )
      select 'transaction ' || r.root_id || ' was reversed ' || r.times || ' times' as detail from taken_back r where r.times > 1
      union all
      select 'transaction ' || r.root_id || ' was reversed and does not exist'
      from taken_back r left join ledger_transactions t on t.borrower_id = r.borrower_id and t.loan_id = r.loan_id and t.transaction_id = r.root_id
      where t.transaction_id is null
      union all
      select 'transaction ' || p.root_id || ' is reversed, but ' || sum(e.credit_paise - e.debit_paise) || ' paise of ' || e.account || ' are left of it'
      from parts p join ledger_entries e using (borrower_id, loan_id, transaction_id)
      group by p.borrower_id, p.loan_id, p.root_id, e.account, e.instalment_number, e.charge_id
      having sum(e.credit_paise - e.debit_paise) <> 0`,
  },
  {
    id: 'I24',
    rule: "a loan's transactions are numbered from 1 without a gap",
    violations: () => sql`
      select 'loan ' || l.lan || ' has ' || coalesce(t.transactions, 0) || ' transactions, numbered to ' || coalesce(t.last, 0) || ', and counts ' || l.ledger_sequence as detail
      from loans l
      left join (
        select borrower_id, loan_id, count(distinct sequence) as transactions, min(sequence) as first, max(sequence) as last from ledger_transactions group by borrower_id, loan_id
      ) t using (borrower_id, loan_id)
      where coalesce(t.transactions, 0) <> l.ledger_sequence or coalesce(t.last, 0) <> l.ledger_sequence or coalesce(t.first, 1) <> 1
      union all
      select 'transaction ' || t.transaction_id || ' belongs to no loan'
      from ledger_transactions t left join loans l using (borrower_id, loan_id) where l.loan_id is null`,
  },
  {
    id: 'I28',
    rule: 'every transaction, link, link step and refund names an existing actor',
    violations: () => sql`
      with actors as materialized (
        select actor_id from ledger_transactions
        union select created_by from payment_links
        union select actor_id from payment_link_history
        union select asked_by from refunds
      ), known as materialized (
        select user_id::text as actor_id from users
        where user_id in (select actor_id::uuid from actors where actor_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
      ), unknown as (
        select actor_id from actors where actor_id ~ '^[0-9a-f]{8}-' or actor_id = ''
        except select actor_id from known
      ), nobody as materialized (
        select actor_id, ' names ' || coalesce(nullif(actor_id, ''), 'nobody') || ', who does not exist' as fault from unknown
      )
      select 'transaction ' || transaction_id || fault as detail from ledger_transactions join nobody using (actor_id)
      union all
      select 'payment link ' || reference || fault from payment_links join nobody on actor_id = created_by
      union all
      select 'a step of payment link ' || payment_intent_id || fault from payment_link_history join nobody using (actor_id)
      union all
      select 'refund ' || refund_id || fault from refunds join nobody on actor_id = asked_by`,
  },
]
