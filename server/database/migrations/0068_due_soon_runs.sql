-- The announcing of instalments stores how far it has come in daily_runs, as other work of a day. Nothing uses
-- due_soon_runs any more; the next release drops it.
-- safe: one row a day. The version before goes on with its own table: an instalment that both announce has one notice.
insert into daily_runs (name, run_on, after_borrower_id, finished_at)
select 'due soon', due_on, after_borrower_id, finished_at
from due_soon_runs
on conflict do nothing;
