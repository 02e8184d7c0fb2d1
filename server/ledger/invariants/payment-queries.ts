import { sql } from 'kysely'
import { minuteMs } from '#domain/durations.ts'
import { advanceLink, type LinkStatus } from '#domain/payment-links.ts'
import { isPayableCondition } from '../open-links-store.ts'
import { localTable, type InvariantQuery } from './invariant.ts'

/** The time limit for posting captured money. */
const postedWithinMinutes = 10
/** The time limit for finishing a webhook event or marking it dead. */
const eventDoneWithinMinutes = 60

const minutesBefore = (now: Date, minutes: number): Date => new Date(now.getTime() - minutes * minuteMs)

const statuses: readonly LinkStatus[] = ['creating', 'created', 'partially_paid', 'paid', 'expired', 'cancelled', 'refused']
/** The status changes that the domain allows, as `from to`. */
const steps = statuses.flatMap((from) => statuses.filter((to) => to !== from && advanceLink(from, to) === to).map((to) => `${from} ${to}`))

/** The invariants of payment links, captured payments and their postings. */
export const paymentQueries: readonly InvariantQuery[] = [
  {
    id: 'I5',
    rule: 'each captured payment is in the ledger once',
    violations: (now) => sql`
      select 'payment ' || provider_payment_id || ' was captured and is not in the ledger' as detail
      from provider_payments where transaction_id is null and seen_at < ${minutesBefore(now, postedWithinMinutes)}
      union all
      select 'payment ' || source_id || ' is in the ledger ' || count(*) || ' times'
      from ledger_transactions where kind = 'repayment' and source = 'razorpay' group by source_id having count(*) > 1
      union all
      select 'payment ' || source_id || ' is in the ledger and was never captured'
      from ledger_transactions t where kind = 'repayment' and source = 'razorpay'
        and not exists (select from provider_payments p where p.borrower_id = t.borrower_id and p.provider = t.source and p.provider_payment_id = t.source_id)`,
  },
  {
    id: 'I6',
    rule: 'a posted amount equals the captured amount',
    violations: () => sql`
      select 'payment ' || p.provider_payment_id || ' of ' || p.amount_paise || ' paise is posted with ' || coalesce(t.amount_paise, 0) as detail
      from provider_payments p
      left join ledger_transactions t on t.borrower_id = p.borrower_id and t.loan_id = p.loan_id and t.transaction_id = p.transaction_id
      where p.transaction_id is not null
        and (t.amount_paise is distinct from p.amount_paise or t.source_id <> p.provider_payment_id or t.kind <> 'repayment')`,
  },
  {
    id: 'I7',
    rule: 'amount_paid_paise of a link is its captured amount; an excess is refunded or under review',
    violations: () => sql`
      select 'link ' || l.reference || ' of ' || l.amount_paise || ' paise has amount_paid_paise ' || l.amount_paid_paise || '; captured are ' || coalesce(p.captured, 0) as detail
      from payment_links l
      left join (
        select borrower_id, payment_intent_id, sum(amount_paise) filter (where captured) as captured,
          sum(amount_paise) filter (where captured and transaction_id is not null) as posted
        from provider_payments group by 1, 2
      ) p using (borrower_id, payment_intent_id)
      left join (
        select r.borrower_id, r.payment_intent_id, sum(r.amount_paise) as returned
        from refunds r join provider_payments p using (borrower_id, provider, provider_payment_id)
        where r.reason <> 'excess' and p.captured group by 1, 2
      ) r using (borrower_id, payment_intent_id)
      where l.amount_paid_paise <> coalesce(p.captured, 0) or (coalesce(p.posted, 0) - coalesce(r.returned, 0) > l.amount_paise and not exists (
        select from payment_reviews v
        where v.borrower_id = l.borrower_id and v.payment_intent_id = l.payment_intent_id and v.kind = 'amount_over'))`,
  },
  {
    id: 'I8',
    rule: 'rps_updated is true if and only if all money of the link is in the ledger',
    violations: (now) => sql`
      select 'link ' || l.reference || case when l.rps_updated then ' has rps_updated and money that is not posted' else ' has all money posted and not rps_updated' end as detail
      from payment_links l
      left join (
        select borrower_id, payment_intent_id, max(seen_at) as seen_at, bool_and(transaction_id is not null) as posted,
          bool_or(transaction_id is not null) as some_posted, min(seen_at) filter (where transaction_id is null) as unposted_since
        from provider_payments group by 1, 2
      ) p using (borrower_id, payment_intent_id)
      -- An additional payment on a paid link may still be waiting to be posted.
      where (l.rps_updated and p.some_posted is not true) or (l.rps_updated and l.status <> 'paid' and not p.posted)
        or (l.rps_updated and p.unposted_since < ${minutesBefore(now, postedWithinMinutes)})
        or (not l.rps_updated and p.posted is true and p.seen_at < ${minutesBefore(now, postedWithinMinutes)})`,
  },
  {
    id: 'I9',
    rule: 'a paid link has received its amount',
    violations: (now) => sql`
      select 'link ' || reference || ' of ' || amount_paise || ' paise is paid with ' || amount_paid_paise as detail
      from payment_links l
      -- Each look at the provider renews provider_checked_at, also while a payment cannot be read.
      where status = 'paid' and amount_paid_paise < amount_paise and (rps_updated or exists (
        select from payment_link_history h
        where h.borrower_id = l.borrower_id and h.payment_intent_id = l.payment_intent_id and h.to_status = 'paid'
          and h.at < ${minutesBefore(now, postedWithinMinutes)}))`,
  },
  {
    id: 'I10',
    rule: 'a loan has at most one payable link, late payments on closed links excepted',
    violations: () => sql`
      select 'loan ' || loan_id || ' has ' || count(*) || ' open links' as detail
      from payment_links where ${isPayableCondition} and not landed_late group by borrower_id, loan_id having count(*) > 1`,
  },
  {
    id: 'I11',
    rule: 'a reference and a provider link id identify one link, of one loan and one borrower',
    violations: () => sql`
      select 'reference ' || reference || ' names ' || count(*) || ' links' as detail from payment_links group by reference having count(*) > 1
      union all
      select 'provider link ' || payment_link_id || ' belongs to ' || count(*) || ' links' from payment_links where payment_link_id is not null group by provider, payment_link_id having count(*) > 1
      union all
      select 'link ' || l.reference || ' is not found by its reference'
      from payment_links l left join ${localTable('payment_references')} r on r.reference = l.reference
      where r.reference is null or r.borrower_id <> l.borrower_id or r.payment_intent_id <> l.payment_intent_id
      union all
      select 'link ' || l.reference || ' is of no loan of its borrower' from payment_links l left join loans o using (borrower_id, loan_id) where o.loan_id is null
      union all
      select 'payment ' || p.provider_payment_id || ' is of another loan than its link'
      from provider_payments p left join (
        select borrower_id, payment_intent_id, loan_id from payment_links
        union all
        select borrower_id, collection_id, loan_id from collections
      ) l using (borrower_id, payment_intent_id)
      where l.loan_id is distinct from p.loan_id`,
  },
  {
    id: 'I12',
    rule: 'the history of a link leads from its creation to its status by allowed steps',
    violations: () => sql`
      with history as (
        select borrower_id, payment_intent_id, from_status, to_status,
          lag(to_status) over link as earlier, lead(to_status) over link is null as is_last
        from payment_link_history window link as (partition by borrower_id, payment_intent_id order by at, step_id)
      )
      select 'link ' || payment_intent_id || ' went from ' || coalesce(from_status, 'nothing') || ' to ' || to_status || ' when it was ' || coalesce(earlier, 'nothing') as detail
      from history
      where from_status is distinct from earlier or (from_status is null and to_status <> 'creating')
        or (from_status is not null and from_status || ' ' || to_status <> all (${[...steps]}::text[]))
      union all
      select 'link ' || l.reference || ' is ' || l.status || '; its history ends with ' || coalesce(h.to_status, 'nothing')
      from payment_links l left join history h on h.borrower_id = l.borrower_id and h.payment_intent_id = l.payment_intent_id and h.is_last
      where h.to_status is distinct from l.status`,
  },
  {
    id: 'I17',
    rule: 'the clearing balance is what was captured and posted, less reversals, refunds and settlements',
    violations: () => sql`
      with clearing as (
        select borrower_id, loan_id, sum(debit_paise - credit_paise) as held from ledger_entries where account = 'provider_clearing' group by 1, 2
      ), captured as (
        select p.borrower_id, p.loan_id, sum(p.amount_paise) as posted
        from provider_payments p
        where p.transaction_id is not null and not exists (
          select from ledger_transactions r where r.borrower_id = p.borrower_id and r.loan_id = p.loan_id and r.reverses_transaction_id = p.transaction_id)
        group by 1, 2
      ), gone as (
        select borrower_id, loan_id, sum(amount_paise) as gone from (
          select borrower_id, loan_id, amount_paise from refunds
          where status = 'processed' and provider_refund_id is not null -- the lender's bank sent the others
          union all
          select borrower_id, loan_id, case type when 'refund' then -amount_paise else amount_paise end from ${localTable('settlement_lines')} line where transaction_id is not null
        ) parts group by 1, 2
      )
      select 'loan ' || loan_id || ' has ' || coalesce(held, 0) || ' paise in clearing; captured and posted, less refunds and settlements, are '
        || coalesce(posted, 0) - coalesce(gone, 0) as detail
      from clearing full join captured using (borrower_id, loan_id) full join gone using (borrower_id, loan_id)
      where coalesce(held, 0) <> coalesce(posted, 0) - coalesce(gone, 0)`,
  },
  {
    id: 'I20',
    rule: 'every webhook event is finished or dead within the time limit',
    violations: (now) => sql`
      select 'event ' || event_id || ' of ' || received_at || ' is still open after ' || attempts || ' attempts' as detail
      from webhook_inbox where processed_at is null and received_at < ${minutesBefore(now, eventDoneWithinMinutes)}
      union all
      select 'event ' || event_id || ' is done without an outcome' from webhook_inbox where processed_at is not null and outcome is null`,
  },
  {
    id: 'I25',
    rule: 'every repayment has one receipt with its amount and bank reference, numbered per loan without gaps',
    violations: () => sql`
      with paid as (
        select t.borrower_id, t.loan_id, t.transaction_id, t.amount_paise, t.source_id, p.provider_payment_id, p.transaction_id as captured_as,
          case when p.provider_payment_id is null then t.source_id else p.bank_reference end as bank_reference
        from ledger_transactions t
        left join provider_payments p on p.borrower_id = t.borrower_id and p.provider = t.source and p.provider_payment_id = t.source_id
        where t.kind = 'repayment'
      ), receipted as (
        select receipts.*, row_number() over (partition by borrower_id, loan_id order by sequence) as place from receipts
      )
      select 'repayment ' || transaction_id || ' has no reference' as detail from paid where btrim(source_id) = ''
      union all
      select 'repayment ' || transaction_id || ' is not the one that payment ' || source_id || ' is posted with'
      from paid where provider_payment_id is not null and captured_as is distinct from transaction_id
      union all
      select 'repayment ' || p.transaction_id || ' has no receipt' from paid p
      left join receipts r on r.borrower_id = p.borrower_id and r.loan_id = p.loan_id and r.transaction_id = p.transaction_id
      where r.transaction_id is null
      union all
      select 'receipt ' || r.receipt_number || ' belongs to no repayment'
      from receipts r left join paid p using (borrower_id, loan_id, transaction_id) where p.transaction_id is null
      union all
      select 'receipt ' || r.receipt_number || ' has ' || r.amount_paise || ' paise and ' || coalesce(r.bank_reference, 'no reference')
        || '; the payment has ' || p.amount_paise || ' and ' || coalesce(p.bank_reference, 'none')
      from receipts r join paid p using (borrower_id, loan_id, transaction_id)
      where r.amount_paise <> p.amount_paise
        -- The provider can learn the reference after the receipt.
        or (r.bank_reference is distinct from p.bank_reference and (r.bank_reference is not null or p.provider_payment_id is null))
      union all
      select 'receipt ' || r.receipt_number || ' is number ' || r.sequence || ' of loan ' || coalesce(l.lan, '?') || ', and the ' || r.place || '. of its receipts'
      from receipted r left join loans l using (borrower_id, loan_id)
      where r.sequence <> r.place or r.receipt_number is distinct from l.lan || '-R' || r.sequence`,
  },
  {
    id: 'I29',
    rule: 'the value date of a captured payment is its India date, that of a debit its own, and posting times ascend',
    violations: () => sql`
      select 'payment ' || p.provider_payment_id || ' of ' || (p.paid_at at time zone 'Asia/Kolkata')::date || ' counts from ' || t.value_date as detail
      from provider_payments p join ledger_transactions t on t.borrower_id = p.borrower_id and t.loan_id = p.loan_id and t.transaction_id = p.transaction_id
      left join collections c on c.borrower_id = p.borrower_id and c.collection_id = p.payment_intent_id
      where t.value_date <> coalesce(c.value_date, (p.paid_at at time zone 'Asia/Kolkata')::date)
      union all
      select 'transaction ' || transaction_id || ' was booked before the one it follows'
      from (select transaction_id, posted_at, lag(posted_at) over (partition by borrower_id, loan_id order by sequence) as earlier from ledger_transactions) t
      where posted_at < earlier`,
  },
]
