-- A review of a closed loan's credit is named by the newest payment too. The loan's follow-up names those of the version
-- before again, and adds one where credit of the same amount came again after a person had resolved the first.
-- safe: new rows only, for which the version before has the same loan checked.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select distinct borrower_id, loan_id, now()
from payment_reviews
where kind = 'credit_on_closed_loan' and loan_id is not null and resolved_by is distinct from 'system'
on conflict do nothing;
