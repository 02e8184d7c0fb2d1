-- As in 0052_cheaper_receipts.sql, but only payments posted after the one with the last receipt are looked at: receipts are issued in the
-- order of posting, each in the transaction of its payment.
create or replace function issue_receipts(of_borrower uuid, of_loan uuid, prefix text, issued_now timestamptz) returns setof text
  language plpgsql
  as $$
  declare
    payment record;
    last_sequence bigint;
    last_posted bigint;
  begin
    select r.sequence, t.sequence into last_sequence, last_posted
      from receipts as r
      join ledger_transactions as t on t.borrower_id = r.borrower_id and t.loan_id = r.loan_id and t.transaction_id = r.transaction_id
      where r.borrower_id = of_borrower and r.loan_id = of_loan
      order by r.sequence desc limit 1;
    for payment in
      select t.transaction_id, t.amount_paise,
        case when p.provider_payment_id is null then t.source_id else p.bank_reference end as bank_reference
      from ledger_transactions as t
      left join provider_payments as p
        on p.borrower_id = t.borrower_id and p.provider = t.source and p.provider_payment_id = t.source_id
      where t.borrower_id = of_borrower and t.loan_id = of_loan and t.kind = 'repayment' and t.sequence > coalesce(last_posted, 0)
      order by t.sequence
    loop
      last_sequence := coalesce(last_sequence, 0) + 1;
      insert into receipts (borrower_id, loan_id, transaction_id, amount_paise, bank_reference, sequence, receipt_number, issued_at)
      values (of_borrower, of_loan, payment.transaction_id, payment.amount_paise, payment.bank_reference, last_sequence,
        prefix || last_sequence, issued_now);
      return next prefix || last_sequence;
    end loop;
  end
  $$;
