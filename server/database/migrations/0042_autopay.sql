-- Autopay: mandates of loans, and the debits of each mandate.

-- A borrower's permission to debit instalments. Of the account only bank and last four digits are kept.
create table mandates (
  borrower_id uuid not null,
  mandate_id uuid not null,
  loan_id uuid not null,
  -- KM…: ours, told to the provider; the only key by which a registration of unknown outcome is found again.
  reference text not null,
  provider text not null check (provider in ('razorpay')),
  method text not null check (method in ('upi', 'emandate')),
  auth_type text check (auth_type in ('netbanking', 'debitcard', 'aadhaar')),
  status text not null check (status in (
    'creating', 'issued', 'initiated', 'active', 'paused', 'ending', 'ended', 'expired', 'cancelled', 'rejected')),
  end_reason text check (end_reason in ('borrower', 'app', 'refused', 'bank', 'expired', 'loan_closed')),
  max_amount_paise bigint not null check (max_amount_paise > 0),
  account_hint text,
  consent_version text not null,
  consented_at timestamptz not null,
  -- The provider's: its registration link, the order, customer and token of it.
  invoice_id text,
  order_id text,
  customer_id text,
  token_id text,
  redirect_url text,
  -- Until then the registration can be approved.
  expires_at timestamptz not null,
  -- The last day of the mandate itself.
  ends_on date not null,
  -- Two pauses, each with its own end: the borrower's in the portal, and that of the UPI app.
  paused_at timestamptz,
  app_paused_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  active_at timestamptz,
  -- Asked for in the portal, or because the loan is closed; the provider has not confirmed it while the mandate is `ending`.
  end_requested_at timestamptz,
  ended_at timestamptz,
  provider_checked_at timestamptz,
  next_check_at timestamptz not null,
  checks integer not null default 0,
  primary key (borrower_id, mandate_id),
  check ((status in ('ended', 'expired', 'cancelled', 'rejected')) = (ended_at is not null)),
  check ((ended_at is not null) <= (end_reason is not null))
);
create unique index mandates_one_live on mandates (borrower_id, loan_id)
  where status in ('creating', 'issued', 'initiated', 'active', 'paused', 'ending');
create index mandates_due_check on mandates (next_check_at)
  where status in ('creating', 'issued', 'initiated', 'active', 'paused', 'ending');
-- The ways from the provider's ids to their borrower; a webhook has nothing else.
create index mandates_by_token on mandates (token_id) where token_id is not null;

-- One debit of one mandate for one due date. `attempt` counts presentations, not announcements.
create table collections (
  borrower_id uuid not null,
  collection_id uuid not null,
  loan_id uuid not null,
  mandate_id uuid not null,
  -- KC…: ours, told to the provider.
  reference text not null,
  due_on date not null,
  attempt integer not null check (attempt between 1 and 3),
  -- `system`, or the borrower who asked for another debit.
  planned_by text not null,
  -- The day of the first presentation for the due date; of an attempt before the first, its own.
  first_debit_on date not null,
  debit_on date not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- What the amount pays: instalments by due date and charges by id.
  parts jsonb not null,
  status text not null check (status in ('planned', 'announced', 'presented', 'captured', 'failed', 'skipped')),
  -- Why it was skipped, or the provider's reason of a failure.
  reason text,
  failure_class text check (failure_class in ('technical', 'funds', 'ask_borrower', 'mandate_ended', 'review')),
  -- Not presented before; set with the announcement.
  present_at timestamptz,
  -- How many orders were asked for: each has a receipt of its own. The last may be unknown while order_id is null.
  orders integer not null default 0,
  order_id text,
  announced_at timestamptz,
  delivered_at timestamptz,
  presented_at timestamptz,
  -- The value date of its money.
  value_date date,
  expected_by timestamptz,
  provider_payment_id text,
  -- The day on which the outcome was known; of a debit that was returned, the day of the return.
  outcome_on date,
  ended_at timestamptz,
  created_at timestamptz not null,
  next_check_at timestamptz not null,
  checks integer not null default 0,
  primary key (borrower_id, collection_id),
  check ((status in ('presented', 'captured', 'failed')) = (presented_at is not null)),
  check ((presented_at is null) = (value_date is null)),
  check ((status in ('captured', 'failed', 'skipped')) = (ended_at is not null)),
  check ((status = 'failed') = (failure_class is not null))
);
-- At most one debit of a loan is announced or presented.
create unique index collections_one_under_way on collections (borrower_id, loan_id) where status in ('announced', 'presented');
create unique index collections_one_for_due_date on collections (borrower_id, loan_id, due_on)
  where status in ('planned', 'announced', 'presented');
create unique index collections_payment on collections (borrower_id, provider_payment_id) where provider_payment_id is not null;
create index collections_due_check on collections (next_check_at);
create index collections_by_order on collections (order_id) where order_id is not null;
create index collections_by_payment on collections (provider_payment_id) where provider_payment_id is not null;

-- The one way from our reference to its borrower. `collection_id` is null for a mandate's own reference.
create table autopay_references (
  reference text primary key,
  borrower_id uuid not null,
  mandate_id uuid not null,
  collection_id uuid
);

grant select, insert, update on mandates, collections, autopay_references to kist_app;

-- safe: one update of accounts in one pass; nothing else writes these rows but changes of a profile.
update users set permissions = permissions || array['mandate:create', 'mandate:update']
where kind = 'borrower' and 'payment_link:create' = any(permissions) and not 'mandate:create' = any(permissions);
