-- Notices older than a borrower's first sign-in are not new. Null: no sign-in since this column exists. Who had signed in before
-- it counts from the next sign-in, so that no row has to be changed here.
alter table users add column first_signed_in_at timestamptz;

-- The link whose trail explains a notice of a payment or a refund.
alter table notices add column payment_link_id text;
