-- Late charges that no rule raises any more, and the new ones, are posted by the follow-up of their loan, also of a closed one:
-- after a day, because a worker of the version before would find nothing to do and remove it.
-- safe: one row a loan, in a table that the version before reads the same way; a follow-up without work is removed.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select distinct borrower_id, loan_id, now() + interval '1 day' from charges where charge_type = 'LATE_PAYMENT_CHARGE'
on conflict do nothing;
-- safe: as above.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select distinct borrower_id, loan_id, now() + interval '1 day' from ledger_transactions where reverses_transaction_id is not null
on conflict do nothing;
