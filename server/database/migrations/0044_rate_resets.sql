-- Floating rates: published benchmarks, runs that reset the rates of many loans, and the reset of each loan.
-- And the papers that a borrower signed.

-- The rate of a benchmark from a day on. A published rate never changes.
create table benchmarks (
  benchmark_code text not null check (benchmark_code ~ '^[A-Z][A-Z0-9_]{1,39}$'),
  effective_on date not null,
  annual_rate_ppb bigint not null check (annual_rate_ppb >= 0),
  published_at timestamptz not null,
  published_by text not null,
  primary key (benchmark_code, effective_on)
);
alter table benchmarks enable row level security;
create policy system_only on benchmarks to kist_app
  using (current_setting('app.system', true) = 'on') with check (current_setting('app.system', true) = 'on');
grant select, insert on benchmarks to kist_app;

-- One reset of all loans under a benchmark. A worker does it in chunks of loans by key; the position is stored with each chunk.
create table rate_reset_runs (
  run_id uuid primary key,
  benchmark_code text not null,
  effective_on date not null,
  requested_at timestamptz not null,
  requested_by text not null,
  phase text not null default 'computing' check (phase in ('computing', 'notifying', 'finished')),
  after_borrower_id uuid not null default '00000000-0000-0000-0000-000000000000',
  after_loan_id uuid not null default '00000000-0000-0000-0000-000000000000',
  loans_read bigint not null default 0,
  loans_reset bigint not null default 0,
  notified bigint not null default 0,
  finished_at timestamptz
);
create unique index rate_reset_runs_open on rate_reset_runs (benchmark_code, effective_on) where phase <> 'finished';
alter table rate_reset_runs enable row level security;
create policy system_only on rate_reset_runs to kist_app
  using (current_setting('app.system', true) = 'on') with check (current_setting('app.system', true) = 'on');
grant select, insert, update on rate_reset_runs to kist_app;

create table rate_resets (
  borrower_id uuid not null,
  reset_id uuid not null,
  loan_id uuid not null,
  run_id uuid not null,
  -- `effective` follows from the day.
  state text not null check (state in ('computed', 'notified', 'chosen', 'defaulted', 'withdrawn')),
  from_rate_ppb bigint not null check (from_rate_ppb >= 0),
  to_rate_ppb bigint not null check (to_rate_ppb >= 0),
  effective_on date not null,
  -- The most instalments that the loan's product allows.
  instalments_max integer not null check (instalments_max > 0),
  default_choice text not null check (default_choice in ('keep_emi', 'keep_tenor', 'between')),
  default_instalment_paise bigint not null check (default_instalment_paise > 0),
  -- Null: the default applies.
  choice text check (choice in ('keep_emi', 'keep_tenor', 'between', 'part_payment')),
  -- The EMI without the reset, and what applies: the default, or the choice. Computed for this sequence of the loan's ledger.
  instalment_before_paise bigint not null,
  instalment_paise bigint not null,
  last_due_on date not null,
  ledger_sequence bigint not null,
  computed_at timestamptz not null,
  notified_at timestamptz,
  decided_at timestamptz,
  withdrawn_at timestamptz,
  primary key (borrower_id, reset_id),
  check ((state = 'withdrawn') = (withdrawn_at is not null)),
  check (state in ('computed', 'withdrawn') or notified_at is not null),
  check (state not in ('chosen', 'defaulted') or decided_at is not null)
);
create unique index rate_resets_of_day on rate_resets (borrower_id, loan_id, effective_on) where state <> 'withdrawn';
create index rate_resets_computed on rate_resets (run_id, borrower_id, reset_id) where state = 'computed';
create index rate_resets_ahead on rate_resets (effective_on, borrower_id, reset_id) where state in ('notified', 'chosen', 'defaulted');
alter table rate_resets enable row level security;
create policy own_rows on rate_resets to kist_app
  using (current_setting('app.system', true) = 'on' or borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid)
  with check (current_setting('app.system', true) = 'on' or borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid);
grant select, insert, update on rate_resets to kist_app;

-- A rate change that is not effective yet goes away with a withdrawn reset.
grant delete on rate_changes to kist_app;

-- A paper that the borrower signed or was given with the loan. Null published_at: it waits for its approval.
create table loan_papers (
  borrower_id uuid not null,
  paper_id uuid not null,
  loan_id uuid not null,
  paper text not null check (paper in ('kfs', 'sanction_letter', 'agreement', 'schedule_of_charges')),
  filename text not null check (length(filename) between 1 and 200),
  content_type text not null check (content_type = 'application/pdf'),
  size_bytes bigint not null check (size_bytes > 0),
  sha256 bytea not null,
  storage_key text not null,
  uploaded_at timestamptz not null,
  uploaded_by text not null,
  published_at timestamptz,
  published_by text,
  primary key (borrower_id, paper_id),
  check ((published_at is null) = (published_by is null))
);
create index loan_papers_of_loan on loan_papers (borrower_id, loan_id, published_at desc);
-- One loan has the same bytes as the same paper once.
create unique index loan_papers_published on loan_papers (borrower_id, loan_id, paper, sha256) where published_at is not null;
create index loan_papers_waiting on loan_papers (uploaded_at) where published_at is null;
create index loan_papers_bytes on loan_papers (storage_key);
alter table loan_papers enable row level security;
create policy own_rows on loan_papers to kist_app
  using (current_setting('app.system', true) = 'on' or borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid)
  with check (current_setting('app.system', true) = 'on' or borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid);
grant select, insert, update, delete on loan_papers to kist_app;

-- Work that is done once a day, such as the notices before EMIs begin, and how far it has come.
create table daily_runs (
  name text not null,
  run_on date not null,
  after_borrower_id uuid not null default '00000000-0000-0000-0000-000000000000',
  finished_at timestamptz,
  primary key (name, run_on)
);
alter table daily_runs enable row level security;
create policy system_only on daily_runs to kist_app
  using (current_setting('app.system', true) = 'on') with check (current_setting('app.system', true) = 'on');
grant select, insert, update on daily_runs to kist_app;

alter table operation_proposals drop constraint operation_proposals_kind_check;
-- The version before writes fewer kinds.
alter table operation_proposals add constraint operation_proposals_kind_check check (kind in (
  'charge_add', 'charge_waive', 'payment_record', 'payment_reverse', 'tranche_approve', 'tranche_reject', 'tranche_release',
  'credit_refund', 'foreclosure_waive', 'review_resolve',
  'benchmark_publish', 'rate_reset_run', 'rate_reset_withdraw', 'paper_publish')) not valid;
