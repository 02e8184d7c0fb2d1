-- As in 0050_distributable.sql, but the receipts of the loan are read once, and not for each of its payments.
create or replace function issue_receipts(of_borrower uuid, of_loan uuid, prefix text, issued_now timestamptz) returns setof text
  language plpgsql
  as $$
  declare
    payment record;
    last_sequence bigint;
  begin
    select coalesce(max(sequence), 0) into last_sequence from receipts where borrower_id = of_borrower and loan_id = of_loan;
    for payment in
      select t.transaction_id, t.amount_paise,
        case when p.provider_payment_id is null then t.source_id else p.bank_reference end as bank_reference
      from ledger_transactions as t
      left join provider_payments as p
        on p.borrower_id = t.borrower_id and p.provider = t.source and p.provider_payment_id = t.source_id
      where t.borrower_id = of_borrower and t.loan_id = of_loan and t.kind = 'repayment'
        and t.transaction_id not in (select transaction_id from receipts where borrower_id = of_borrower and loan_id = of_loan)
      order by t.sequence
    loop
      last_sequence := last_sequence + 1;
      insert into receipts (borrower_id, loan_id, transaction_id, amount_paise, bank_reference, sequence, receipt_number, issued_at)
      values (of_borrower, of_loan, payment.transaction_id, payment.amount_paise, payment.bank_reference, last_sequence,
        prefix || last_sequence, issued_now);
      return next prefix || last_sequence;
    end loop;
  end
  $$;
