-- How far an application has come: a row for each stage that is behind it. That it was submitted says its own row.
create table application_stages (
  borrower_id uuid not null,
  application_id text not null,
  stage text not null check (stage in ('documents_verified', 'assessed', 'sanctioned', 'agreement_signed')),
  done_on date not null,
  primary key (borrower_id, application_id, stage)
);

-- What the lender waits for, by the names of domain/applications.ts; empty when it is not the borrower's turn.
alter table loan_applications add column awaited text[] not null default '{}';

-- The portal shows it; the lender's book brings it (docs/import.md).
grant select, insert on application_stages to kist_app;
