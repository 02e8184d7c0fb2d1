-- What a due date alone brings about (credit used, deferred interest added to principal) is posted by the follow-up of its
-- loan: loans whose interest is deferred are followed up on the day on which it becomes principal, those with credit at once.
-- safe: one row a loan, in a table that the version before reads the same way; a follow-up without work is removed.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select borrower_id, loan_id, greatest(now(), moratorium_until::timestamp at time zone 'Asia/Kolkata') from loans
where moratorium_interest = 'deferred'
on conflict do nothing;
-- safe: as above.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select borrower_id, loan_id, now() from ledger_entries
where account = 'excess' group by borrower_id, loan_id having sum(credit_paise - debit_paise) > 0
on conflict do nothing;
