-- Receipts: one for every payment in the ledger, written with its posting.

create table receipts (
  borrower_id uuid not null,
  loan_id uuid not null,
  -- Gap-free within the loan, counted under its row lock.
  sequence bigint not null check (sequence > 0),
  -- What people say: the loan account number, `-R` and the sequence (docs/decisions/0130-receipt-numbers.md).
  receipt_number text not null,
  transaction_id uuid not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- The number under which the payer's bank knows the payment; null where the provider tells none.
  bank_reference text,
  issued_at timestamptz not null,
  primary key (borrower_id, loan_id, sequence),
  unique (borrower_id, loan_id, transaction_id),
  unique (borrower_id, receipt_number)
);

-- Payments of before there were receipts, numbered as they were posted.
insert into receipts (borrower_id, loan_id, sequence, receipt_number, transaction_id, amount_paise, bank_reference, issued_at)
select payment.borrower_id, payment.loan_id, payment.number, loans.lan || '-R' || payment.number, payment.transaction_id, payment.amount_paise,
  case when captured.provider_payment_id is null then payment.source_id else captured.bank_reference end, payment.posted_at
from (
  select *, row_number() over (partition by borrower_id, loan_id order by sequence) as number
  from ledger_transactions where kind = 'repayment'
) payment
join loans using (borrower_id, loan_id)
left join provider_payments captured
  on captured.borrower_id = payment.borrower_id and captured.provider = payment.source and captured.provider_payment_id = payment.source_id;

-- Which receipt a document we wrote is, so that whoever checks its code learns when the payment was taken back.
alter table generated_documents add column receipt_number text;

grant select, insert on receipts to kist_app;
