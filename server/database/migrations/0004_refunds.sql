-- Money that goes back to who paid it; money that the provider pays out to us; what somebody has to look at.

-- A settlement is posted on the ledger of each loan that has a part in it (docs/decisions/0129-settlements-by-loan.md).
alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions add constraint ledger_transactions_kind_check check (kind in (
  'disbursal', 'repayment', 'charge', 'waiver', 'adjustment', 'capitalisation', 'reversal', 'reallocation', 'refund', 'settlement'));
alter table ledger_entries drop constraint ledger_entries_account_check;
alter table ledger_entries add constraint ledger_entries_account_check check (account in (
  'principal', 'charges', 'interest', 'charges_income', 'waivers', 'tax', 'excess',
  'disbursal_bank', 'provider_clearing', 'provider_fees', 'settlement_bank', 'collection_bank'));

create table refunds (
  borrower_id uuid not null,
  loan_id uuid not null,
  refund_id uuid not null,
  provider text not null check (provider in ('razorpay')),
  -- The payment it goes back through. What it takes away from the loan is decided by its reason.
  provider_payment_id text not null,
  payment_intent_id uuid not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- duplicate, nothing_due: the payment never counted (decision 49). excess: the loan's credit, asked for by the operator.
  -- by_lender: made at the provider by hand; that much of the payment counts no more.
  reason text not null check (reason in ('duplicate', 'nothing_due', 'excess', 'by_lender')),
  -- asked: decided, and the provider has not said that it has it. pending: it has. processed: the money has left.
  -- failed: it said no; only the operator has it tried again.
  status text not null check (status in ('asked', 'pending', 'processed', 'failed')),
  provider_refund_id text,
  bank_reference text,
  asked_at timestamptz not null,
  asked_by text not null check (asked_by <> ''),
  -- The operator's reason, in words.
  note text,
  processed_at timestamptz,
  -- The ledger transaction with which the money left.
  transaction_id uuid,
  last_error text,
  -- How often the provider said no for good: part of the key under which it is asked, so that a new try is a new refund.
  refusals integer not null default 0,
  attempts integer not null default 0,
  next_check_at timestamptz not null,
  primary key (borrower_id, refund_id),
  check ((status = 'processed') = (transaction_id is not null)),
  check ((status = 'processed') = (processed_at is not null))
);
create unique index refunds_provider_id on refunds (borrower_id, provider, provider_refund_id) where provider_refund_id is not null;
-- What is sent back by itself is sent back once.
create unique index refunds_by_itself on refunds (borrower_id, provider, provider_payment_id) where reason in ('duplicate', 'nothing_due');
create index refunds_of_loan on refunds (borrower_id, loan_id);
create index refunds_due_check on refunds (next_check_at) where status in ('asked', 'pending');

-- What no rule may decide: differences between the provider and us, for a person. Without a borrower (all zeros) where none is known.
create table payment_reviews (
  borrower_id uuid not null,
  review_id uuid not null,
  loan_id uuid,
  payment_intent_id uuid,
  kind text not null,
  -- Names the occasion for good: found once, however often it is seen.
  about text not null,
  detail jsonb not null default '{}',
  found_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text,
  resolution text,
  primary key (borrower_id, review_id),
  unique (borrower_id, about),
  check ((resolved_at is null) = (resolution is null))
);
create index payment_reviews_open on payment_reviews (found_at) where resolved_at is null;

create table settlements (
  provider text not null,
  settlement_id text not null,
  settled_at timestamptz not null,
  amount_paise bigint not null,
  fees_paise bigint not null,
  tax_paise bigint not null,
  -- The bank's reference of the lender's own account; no borrower ever sees it.
  utr text,
  seen_at timestamptz not null,
  primary key (provider, settlement_id)
);

create table settlement_lines (
  provider text not null,
  settlement_id text not null,
  -- The provider's id of the payment, refund or adjustment.
  entity_id text not null,
  type text not null,
  debit_paise bigint not null check (debit_paise >= 0),
  credit_paise bigint not null check (credit_paise >= 0),
  amount_paise bigint not null,
  fee_paise bigint not null,
  tax_paise bigint not null,
  -- Whose it is, and the transaction that posts it; null while that is not known.
  borrower_id uuid,
  loan_id uuid,
  transaction_id uuid,
  primary key (provider, settlement_id, entity_id)
);
create index settlement_lines_of_loan on settlement_lines (borrower_id, loan_id);
create index settlement_lines_open on settlement_lines (provider, settlement_id) where transaction_id is null;

-- One run an India day, begun in the same transaction as its job.
create table reconciliation_runs (
  provider text not null,
  reconciled_on date not null,
  asked_at timestamptz not null,
  finished_at timestamptz,
  payments_seen integer,
  settlements_seen integer,
  differences integer,
  primary key (provider, reconciled_on)
);

-- The ways from the provider's own ids to their borrower.
create index payment_links_by_provider_id on payment_links (payment_link_id) where payment_link_id is not null;
create index provider_payments_by_provider_id on provider_payments (provider, provider_payment_id);

-- Closed links are looked at too for some days, ever more rarely: money may still land on them. Those of before need no look.
drop index payment_links_due_check;
create index payment_links_due_check on payment_links (next_check_at);
update payment_links set next_check_at = '9999-12-31'
where status not in ('creating', 'created', 'partially_paid') and created_at < now() - interval '5 days';

grant select, insert, update on refunds, payment_reviews, settlements, settlement_lines, reconciliation_runs to kist_app;
select guard_rows(guarded, null) from unnest(array['settlements', 'reconciliation_runs']::regclass[]) as guarded;
