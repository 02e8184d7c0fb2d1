-- Work that looks at everything is done by one process at a time and not more often than needed (server/database/lease.ts).
create table leases (
  name text primary key,
  -- Host and process id of the last holder, for the operator; the fencing number decides who holds the lease.
  holder text not null,
  -- Grows by one with every taking. A holder whose number is no longer the current one has lost the lease.
  fencing_number bigint not null,
  expires_at timestamptz not null,
  next_run_at timestamptz not null,
  -- The last run that ended: null before the first. outcome and outcome_count are what the run reported.
  finished_at timestamptz,
  outcome text,
  outcome_count bigint not null default 0
);
alter table leases enable row level security;
create policy system_only on leases to kist_app
  using (current_setting('app.system', true) = 'on') with check (current_setting('app.system', true) = 'on');
grant select, insert, update on leases to kist_app;
