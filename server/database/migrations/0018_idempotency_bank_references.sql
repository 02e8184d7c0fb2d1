-- What was answered to a request with an Idempotency-Key, by person and call, for 24 hours (decision 56).
create table idempotent_requests (
  borrower_id uuid not null,
  -- Who asked: the borrower, or staff who act for them.
  actor_id uuid not null,
  call text not null,
  idempotency_key text not null,
  -- sha256 of the body.
  request_hash bytea not null,
  begun_at timestamptz not null,
  -- Which of the calls under this key works on it; one that was taken over stores nothing.
  run_id uuid not null,
  -- The call runs until then, and prolongs it while it does. Null: it does not run, and what became of it may not be known.
  running_until timestamptz,
  -- The payment intent or the tranche that was made, stored with it.
  made_id uuid,
  -- The final answer: HTTP status and content. Null while there is none.
  status integer,
  answer text,
  primary key (borrower_id, actor_id, call, idempotency_key),
  check ((status is null) = (answer is null))
);
create index idempotent_requests_begun on idempotent_requests (begun_at);
grant select, insert, update, delete on idempotent_requests to kist_app;

-- A bank reference (UTR) names one payment over all borrowers. The reference is in capitals, without anything but letters and digits. A
-- look-up table: no other table can hold this, because their keys begin with the borrower. Cheque numbers, mandate references and cash receipts are no bank references.
create table bank_references (
  reference text primary key,
  borrower_id uuid not null,
  loan_id uuid not null,
  transaction_id uuid not null
);
create index bank_references_of_payment on bank_references (borrower_id, transaction_id);
grant select, insert, delete on bank_references to kist_app;

insert into bank_references (reference, borrower_id, loan_id, transaction_id)
select upper(regexp_replace(source_id, '[^A-Za-z0-9]', '', 'g')), borrower_id, loan_id, transaction_id
from ledger_transactions paid
where kind = 'repayment' and source in ('neft', 'rtgs', 'imps', 'upi', 'transfer') and source_id ~ '[A-Za-z0-9]'
  and not exists (
    select from ledger_transactions reversal
    where reversal.borrower_id = paid.borrower_id and reversal.loan_id = paid.loan_id
      and reversal.reverses_transaction_id = paid.transaction_id)
order by posted_at, transaction_id
on conflict (reference) do nothing;

-- What was recorded twice before is for a person to look at: it may be one transfer that two loans were given.
-- safe: new rows only, one for each payment whose reference another payment had first.
insert into payment_reviews (borrower_id, review_id, loan_id, kind, about, detail, found_at)
select paid.borrower_id, gen_random_uuid(), paid.loan_id, 'duplicate_bank_reference', 'duplicate_bank_reference:' || paid.transaction_id,
  jsonb_build_object('mode', paid.source, 'reference', paid.source_id, 'amount_paise', paid.amount_paise::text, 'transaction_id', paid.transaction_id),
  now()
from ledger_transactions paid
join bank_references first on first.reference = upper(regexp_replace(paid.source_id, '[^A-Za-z0-9]', '', 'g'))
where paid.kind = 'repayment' and paid.source in ('neft', 'rtgs', 'imps', 'upi', 'transfer')
  and first.transaction_id <> paid.transaction_id
  and not exists (
    select from ledger_transactions reversal
    where reversal.borrower_id = paid.borrower_id and reversal.loan_id = paid.loan_id
      and reversal.reverses_transaction_id = paid.transaction_id)
on conflict (borrower_id, about) do nothing;
