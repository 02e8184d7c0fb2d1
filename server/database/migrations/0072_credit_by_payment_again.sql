-- 0067_credit_by_payment.sql asked for these checks at once, and a worker of the version before could remove them without
-- their work. After a day it has stopped.
-- safe: new rows only; a follow-up without work is removed.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select distinct borrower_id, loan_id, now() + interval '1 day'
from payment_reviews
where kind = 'credit_on_closed_loan' and loan_id is not null and resolved_by is distinct from 'system'
on conflict do nothing;
