-- What a run of rate resets would do, computed loan by loan by a worker, so that the preview of a large book answers at once.
create table rate_reset_previews (
  preview_id uuid primary key,
  benchmark_code text not null,
  effective_on date not null,
  -- The day of the figures, and the products with the rates that their loans would get.
  computed_on date not null,
  basis text not null,
  requested_at timestamptz not null,
  -- Null: a worker computes the loans that are missing or have changed.
  finished_at timestamptz
);
create unique index rate_reset_previews_of on rate_reset_previews (benchmark_code, effective_on, computed_on, basis);
alter table rate_reset_previews enable row level security;
create policy system_only on rate_reset_previews to kist_app
  using (current_setting('app.system', true) = 'on') with check (current_setting('app.system', true) = 'on');
grant select, insert, update, delete on rate_reset_previews to kist_app;

create table rate_reset_preview_loans (
  borrower_id uuid not null,
  loan_id uuid not null,
  preview_id uuid not null,
  -- The loan has changed since if its ledger has another sequence.
  ledger_sequence bigint not null,
  -- The EMI by the default, and how much more that is. Null: the rate of this loan does not change.
  instalment_paise bigint,
  rise_paise bigint,
  primary key (borrower_id, loan_id, preview_id),
  check ((instalment_paise is null) = (rise_paise is null))
);
alter table rate_reset_preview_loans enable row level security;
create policy own_rows on rate_reset_preview_loans to kist_app
  using (current_setting('app.system', true) = 'on' or borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid)
  with check (current_setting('app.system', true) = 'on' or borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid);
grant select, insert, update, delete on rate_reset_preview_loans to kist_app;
