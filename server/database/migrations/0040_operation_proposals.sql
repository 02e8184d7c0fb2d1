-- What one member of staff proposes for a loan or a review, and another approves.
create table operation_proposals (
  -- Of a review without a borrower: all zeros, as in payment_reviews.
  borrower_id uuid not null,
  proposal_id uuid not null,
  -- Null for a kind that touches no loan.
  loan_id uuid,
  lan text,
  kind text not null check (kind in (
    'charge_add', 'charge_waive', 'payment_record', 'payment_reverse', 'tranche_approve', 'tranche_reject', 'tranche_release',
    'credit_refund', 'foreclosure_waive', 'review_resolve')),
  -- As on the wire, in rupees.
  input jsonb not null,
  amount_paise bigint check (amount_paise >= 0),
  -- The normalised bank reference of a payment to record; two open proposals never name the same.
  bank_reference text,
  reason text not null check (length(reason) >= 10),
  -- An expired proposal stays `proposed`; expires_at says that it is over.
  state text not null default 'proposed' check (state in ('proposed', 'executed', 'rejected', 'withdrawn', 'failed')),
  maker_id uuid not null,
  maker_name text not null,
  -- Who approved or rejected it. Null if one person sufficed.
  checker_id uuid,
  checker_name text,
  -- As on the wire: what the maker saw; of an executed proposal what was executed.
  preview jsonb not null,
  preview_hash text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- Why it was rejected or withdrawn, or why it failed.
  decision_reason text,
  primary key (borrower_id, proposal_id),
  check ((state = 'proposed') = (decided_at is null)),
  check (checker_id is null or checker_id <> maker_id)
);
-- A call names a proposal by its id alone, and the queue lists all borrowers.
create index operation_proposals_by_id on operation_proposals (proposal_id);
create index operation_proposals_open on operation_proposals (proposed_at) where state = 'proposed';
create index operation_proposals_of_maker on operation_proposals (maker_id, proposed_at);
create index operation_proposals_decided on operation_proposals (decided_at) where state <> 'proposed';
create index operation_proposals_bank_reference on operation_proposals (bank_reference) where state = 'proposed';
grant select, insert, update on operation_proposals to kist_app;
