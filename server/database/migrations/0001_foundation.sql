-- Roles: kist_owner runs this file and owns everything; kist_app serves, owns nothing, and may not
-- change or remove what the ledger, the histories and the access log say. What kist_app may do is granted
-- table by table at the end; a table without a grant is closed to it.
--
-- The borrower (user) is in every primary key and unique constraint, so that the schema can be distributed by it.
-- The few tables keyed otherwise (phones, loan numbers, payment references, sign-in, webhooks) are look-ups.

-- People ------------------------------------------------------------------------------------------------

create table users (
  user_id uuid primary key,
  phone text not null check (phone ~ '^\+[0-9]{11,13}$'),
  email text,
  email_verified boolean not null default false,
  pan text check (pan ~ '^[A-Z]{5}[0-9]{4}[A-Z]$'),
  first_name text not null,
  last_name text not null,
  kind text not null check (kind in ('borrower', 'staff')),
  roles text[] not null default '{}',
  permissions text[] not null default '{}',
  disabled_at timestamptz,
  created_at timestamptz not null
);

-- The one way from a phone to a person.
create table user_phones (
  phone text primary key,
  user_id uuid not null
);

create table loan_applications (
  borrower_id uuid not null,
  application_id text not null,
  submitted_at timestamptz not null,
  closed_at timestamptz,
  primary key (borrower_id, application_id)
);

-- Sign-in -----------------------------------------------------------------------------------------------

create table sign_in_codes (
  token_hash bytea primary key,
  phone text not null,
  user_id uuid not null,
  code_hmac bytea not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  superseded_at timestamptz
);
create index sign_in_codes_live on sign_in_codes (phone) where consumed_at is null and superseded_at is null;

-- One row a phone: what outlives any single code. `failures` counts wrong codes since the last sign-in; `sent_at` has
-- the codes sent in the last day, oldest first.
create table sign_in_phones (
  phone text primary key,
  failures integer not null default 0,
  locked_until timestamptz,
  signed_in_at timestamptz,
  sent_at timestamptz[] not null default '{}'
);

create table sessions (
  user_id uuid not null,
  session_id uuid not null,
  assumed_user_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_seen_at timestamptz not null,
  revoked_at timestamptz,
  remote_address text,
  user_agent text,
  primary key (user_id, session_id)
);

-- Loans are facts: terms, disbursals, charges, ledger. Whatever is shown is computed from them ------------

create table loan_products (
  product_code text not null,
  product_version integer not null,
  terms jsonb not null,
  loaded_at timestamptz not null,
  primary key (product_code, product_version)
);

create table loans (
  borrower_id uuid not null,
  loan_id uuid not null,
  lan text not null,
  lead_id text,
  partner_loan_id text,
  title text not null,
  product_code text not null,
  product_version integer not null,
  sanctioned_on date not null,
  sanctioned_paise bigint not null check (sanctioned_paise > 0),
  annual_rate_ppb bigint not null check (annual_rate_ppb >= 0),
  instalments integer not null check (instalments between 1 and 480),
  first_due_date date not null,
  due_day smallint not null check (due_day between 1 and 31),
  principal_grace_instalments integer not null default 0,
  fixed_instalment_paise bigint,
  -- Kept back or paid at the start, as in the key facts statement; part of the annual percentage rate.
  upfront_fees_paise bigint not null default 0 check (upfront_fees_paise >= 0),
  moratorium_until date,
  moratorium_interest text check (moratorium_interest in ('paid', 'deferred')),
  allow_tranche_request boolean not null default true,
  ledger_sequence bigint not null default 0,
  created_at timestamptz not null,
  primary key (borrower_id, loan_id),
  unique (borrower_id, lan)
);
create index loans_lead on loans (borrower_id, lead_id);

-- The one way from a loan account number to its borrower.
create table loan_numbers (
  lan text primary key,
  borrower_id uuid not null,
  loan_id uuid not null
);

create table disbursals (
  borrower_id uuid not null,
  loan_id uuid not null,
  disbursal_id uuid not null,
  disbursed_on date not null,
  amount_paise bigint not null check (amount_paise > 0),
  partner_tranche_id text,
  primary key (borrower_id, loan_id, disbursal_id)
);

create table rate_changes (
  borrower_id uuid not null,
  loan_id uuid not null,
  effective_on date not null,
  annual_rate_ppb bigint not null check (annual_rate_ppb >= 0),
  keep text not null check (keep in ('instalment', 'tenor')),
  primary key (borrower_id, loan_id, effective_on)
);

create table charges (
  borrower_id uuid not null,
  loan_id uuid not null,
  charge_id text not null,
  charge_type text not null,
  charged_on date not null,
  amount_paise bigint not null check (amount_paise > 0),
  penal boolean not null,
  waived_on date,
  -- Made by a rule of the loan's product, and kept because the ledger has it (decision 21). The rule goes on deciding whether
  -- it is owed; once waived, the waiver is the fact.
  derived boolean not null default false,
  primary key (borrower_id, loan_id, charge_id)
);

-- Ledger: double entry, append only, whole paise -----------------------------------------------------------

create table ledger_transactions (
  borrower_id uuid not null,
  loan_id uuid not null,
  transaction_id uuid not null,
  -- Gap-free within the loan.
  sequence bigint not null check (sequence > 0),
  kind text not null check (kind in (
    'disbursal', 'repayment', 'charge', 'waiver', 'adjustment', 'capitalisation', 'reversal', 'reallocation', 'refund')),
  -- What caused it, unique, so that nothing posts twice: `razorpay` `pay_…`, `neft` and its UTR, `disbursal` and its id.
  source text not null,
  source_id text not null,
  value_date date not null,
  posted_at timestamptz not null,
  amount_paise bigint not null check (amount_paise > 0),
  purpose text,
  -- Takes a transaction back, with all its reallocations; at most once.
  reverses_transaction_id uuid,
  -- Puts a transaction's money to other components, because an earlier fact became known later (decision 25).
  reallocates_transaction_id uuid,
  actor_id text not null check (actor_id <> ''),
  -- Of what was asked for under this source and id: another content under the same id is an error, never the first one's answer.
  request_hash bytea not null,
  -- sha256 of the loan's transaction before it and of all that this one says (server/ledger/chain.ts).
  chain_hash bytea not null,
  primary key (borrower_id, loan_id, transaction_id),
  unique (borrower_id, loan_id, sequence),
  unique (borrower_id, source, source_id)
);
create unique index ledger_transactions_reversed_once on ledger_transactions (borrower_id, loan_id, reverses_transaction_id)
  where reverses_transaction_id is not null;

create table ledger_entries (
  borrower_id uuid not null,
  loan_id uuid not null,
  transaction_id uuid not null,
  line integer not null,
  -- What each account is: server/ledger/accounts.ts.
  account text not null check (account in (
    'principal', 'charges', 'interest', 'charges_income', 'waivers', 'tax', 'excess',
    'disbursal_bank', 'provider_clearing', 'settlement_bank', 'collection_bank')),
  debit_paise bigint not null default 0 check (debit_paise >= 0),
  credit_paise bigint not null default 0 check (credit_paise >= 0),
  instalment_number integer,
  charge_id text,
  primary key (borrower_id, loan_id, transaction_id, line),
  check ((debit_paise = 0) <> (credit_paise = 0))
);

-- Payments --------------------------------------------------------------------------------------------------

create table payment_links (
  borrower_id uuid not null,
  loan_id uuid not null,
  payment_intent_id uuid not null,
  -- Ours, told to the provider; the only key by which a link of unknown outcome is found again.
  reference text not null,
  provider text not null check (provider in ('razorpay')),
  -- The provider's; null until its creation is known.
  payment_link_id text,
  amount_paise bigint not null check (amount_paise > 0),
  purpose text not null check (purpose in (
    'PAY_EMI', 'OVERDUE', 'FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR')),
  -- The parts of the amount and the business date they were computed for.
  quote jsonb not null,
  quoted_for date not null,
  status text not null check (status in ('creating', 'created', 'partially_paid', 'paid', 'expired', 'cancelled', 'refused')),
  redirect_url text,
  callback_url text not null,
  amount_paid_paise bigint not null default 0,
  rps_updated boolean not null default false,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  settled_at timestamptz,
  provider_checked_at timestamptz,
  next_check_at timestamptz not null,
  checks integer not null default 0,
  -- The caller's Idempotency-Key and a hash of what was asked under it (decision 52).
  idempotency_key text,
  request_hash bytea,
  primary key (borrower_id, payment_intent_id),
  unique (borrower_id, idempotency_key)
);
-- One link stands in the way of the next (decision 37): asked for, open, or paid and not yet applied.
create unique index payment_links_one_open on payment_links (borrower_id, loan_id)
  where status in ('creating', 'created', 'partially_paid') or (status = 'paid' and not rps_updated);
create unique index payment_links_provider_id on payment_links (borrower_id, payment_link_id) where payment_link_id is not null;
create index payment_links_due_check on payment_links (next_check_at)
  where status in ('creating', 'created', 'partially_paid') or ((status = 'paid' or amount_paid_paise > 0) and not rps_updated);

-- The one way from our reference to its borrower; webhooks come with nothing else.
create table payment_references (
  reference text primary key,
  borrower_id uuid not null,
  payment_intent_id uuid not null
);

create table provider_payments (
  borrower_id uuid not null,
  loan_id uuid not null,
  provider text not null,
  provider_payment_id text not null,
  payment_intent_id uuid not null,
  amount_paise bigint not null check (amount_paise > 0),
  method text,
  instrument text,
  bank_reference text,
  fee_paise bigint,
  tax_paise bigint,
  -- The provider's creation time; its India day is the value date (decision 24).
  paid_at timestamptz not null,
  seen_at timestamptz not null,
  transaction_id uuid,
  primary key (borrower_id, provider, provider_payment_id)
);

-- Every step of a link, append only.
create table payment_link_history (
  borrower_id uuid not null,
  payment_intent_id uuid not null,
  step_id uuid not null,
  at timestamptz not null,
  from_status text,
  to_status text not null,
  source text not null check (source in ('borrower', 'webhook', 'poll', 'sweep', 'operator')),
  actor_id text not null,
  primary key (borrower_id, payment_intent_id, step_id)
);

create table webhook_inbox (
  provider text not null,
  event_id text not null,
  received_at timestamptz not null,
  event_type text not null,
  body bytea not null,
  reference text,
  processed_at timestamptz,
  outcome text check (outcome in ('applied', 'ignored', 'dead')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  last_error text,
  primary key (provider, event_id)
);
create index webhook_inbox_open on webhook_inbox (next_attempt_at) where processed_at is null;

-- Who touched what, append only -----------------------------------------------------------------------------

create table access_log (
  subject_id text not null,
  entry_id uuid not null,
  at timestamptz not null,
  actor_id text not null,
  action text not null,
  outcome text not null check (outcome in ('done', 'refused')),
  request_id text,
  remote_address text,
  detail jsonb not null default '{}',
  primary key (subject_id, entry_id)
);

-- What kist_app may do -----------------------------------------------------------------------------------------

grant usage on schema public to kist_app;
grant select, insert, update on users, user_phones, loan_applications, sign_in_codes, sign_in_phones, sessions to kist_app;
grant select, insert, update on loan_products, loans, loan_numbers, disbursals, rate_changes, charges to kist_app;
grant select, insert, update on payment_links, payment_references, provider_payments, webhook_inbox to kist_app;
grant select, insert on ledger_transactions, ledger_entries, payment_link_history, access_log to kist_app;
