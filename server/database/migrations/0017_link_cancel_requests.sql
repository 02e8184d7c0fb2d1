-- A link whose amount no longer fits the loan, because the lender recorded a fact that could not wait (decision 53, class b). It is
-- cancelled right after that fact's transaction; the sweeper tries again until the provider confirms.
alter table payment_links add column cancel_requested_at timestamptz;
-- The person or the process that recorded the fact.
alter table payment_links add column cancel_requested_by text;
-- The session that asked for the link: links are limited by session (decision 64).
alter table payment_links add column session_id uuid;
