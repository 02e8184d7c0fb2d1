-- 0067 had the loans checked at once, also by a worker of the version before, which finds nothing to do and removes the
-- check. They are checked again after a day, as in 0060; a check without work is removed.
-- safe: one row a loan, in a table that the version before reads the same way; a check that was due waits a day.
-- Two statements: on distributed tables Citus refuses now() in the on conflict part of an insert.
update loan_follow_ups set next_check_at = now() + interval '1 day'
where next_check_at <= now() and (borrower_id, loan_id) in (
  select borrower_id, loan_id from payment_reviews
  where kind = 'credit_on_closed_loan' and loan_id is not null and resolved_by is distinct from 'system'
);
-- safe: as above, for loans without a check.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select distinct borrower_id, loan_id, now() + interval '1 day'
from payment_reviews
where kind = 'credit_on_closed_loan' and loan_id is not null and resolved_by is distinct from 'system'
on conflict (borrower_id, loan_id) do nothing;
