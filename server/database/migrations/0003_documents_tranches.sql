-- Documents, tranches, and what borrowers are told.

-- Files that borrowers uploaded. A row is there only when its bytes are: checked, and safe in the object store.
create table documents (
  borrower_id uuid not null,
  loan_id uuid not null,
  document_id uuid not null,
  document_type text not null check (document_type in ('Transcript', 'Others')),
  -- Text for people; no path is ever made of it.
  filename text not null check (length(filename) between 1 and 200),
  content_type text not null check (content_type in ('application/pdf', 'image/bmp', 'image/jpeg', 'image/png', 'image/webp')),
  size_bytes bigint not null check (size_bytes > 0),
  -- Of the bytes as they are stored, and as they came: images are stored without what the camera noted.
  sha256 bytea not null,
  upload_sha256 bytea not null,
  storage_key text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (borrower_id, document_id),
  -- The same file sent again is the same document.
  unique (borrower_id, loan_id, document_type, upload_sha256)
);
create index documents_of_loan on documents (borrower_id, loan_id, created_at desc);

-- Documents we wrote. What one says is known by its hash: the same again is the same file.
create table generated_documents (
  borrower_id uuid not null,
  loan_id uuid not null,
  document_id uuid not null,
  doc_type text not null,
  language text not null check (language in ('en', 'hi')),
  content_hash bytea not null,
  code text not null,
  filename text not null,
  issued_on date not null,
  size_bytes bigint not null check (size_bytes > 0),
  sha256 bytea not null,
  storage_key text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (borrower_id, document_id),
  unique (borrower_id, content_hash)
);

-- The one way from the code printed in a document to the document.
create table document_codes (
  code text primary key,
  borrower_id uuid not null,
  document_id uuid not null
);

-- Disbursals that the borrower asks for. What was paid out is a row of disbursals too, which then names its tranche.
create table tranches (
  borrower_id uuid not null,
  loan_id uuid not null,
  tranche_id uuid not null,
  partner_tranche_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  stage text not null check (stage in ('requested', 'approved', 'released', 'rejected')),
  -- The day it was asked for; of a released one, the day it was paid out.
  disbursed_on date not null,
  requested_at timestamptz not null,
  requested_by text not null,
  changed_at timestamptz not null,
  -- The caller's Idempotency-Key and a hash of what was asked under it (decision 52).
  idempotency_key text,
  request_hash bytea,
  primary key (borrower_id, loan_id, tranche_id),
  unique (borrower_id, loan_id, partner_tranche_id),
  unique (borrower_id, idempotency_key)
);

-- Every step of a tranche, append only.
create table tranche_history (
  borrower_id uuid not null,
  loan_id uuid not null,
  tranche_id uuid not null,
  step_id uuid not null,
  at timestamptz not null,
  stage text not null,
  amount_paise bigint not null,
  disbursed_on date not null,
  actor_id text not null,
  primary key (borrower_id, loan_id, tranche_id, step_id)
);

-- What a borrower is told. `about` names the occasion for good, so that nobody is told twice.
create table notices (
  borrower_id uuid not null,
  notice_id uuid not null,
  about text not null,
  kind text not null,
  lan text,
  amount_paise bigint,
  about_on date,
  subject text,
  created_at timestamptz not null,
  read_at timestamptz,
  -- Null: nothing to send. The worker hands it to the job queue and says when.
  sms text check (sms in ('waiting', 'queued', 'unwanted')),
  sms_at timestamptz,
  primary key (borrower_id, notice_id),
  unique (borrower_id, about)
);
create index notices_waiting on notices (created_at) where sms = 'waiting';
create index notices_newest on notices (borrower_id, created_at desc);

create table notice_preferences (
  borrower_id uuid primary key,
  sms_payments boolean not null,
  sms_tranches boolean not null,
  sms_due_soon boolean not null,
  language text not null check (language in ('en', 'hi'))
);

-- How far the announcing of instalments has come for those that fall due on a day.
create table due_soon_runs (
  due_on date primary key,
  after_borrower_id uuid not null,
  finished_at timestamptz
);
create index loans_due_day on loans (due_day, borrower_id);

-- What kist_app may do --------------------------------------------------------------------------------------

grant select, insert, update on documents, tranches, notices, notice_preferences, due_soon_runs to kist_app;
grant select, insert on generated_documents, document_codes, tranche_history to kist_app;
