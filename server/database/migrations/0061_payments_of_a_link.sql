-- Without a transaction.
-- The payments of a link, without reading all of the borrower's.
create index concurrently if not exists provider_payments_of_link on provider_payments (borrower_id, payment_intent_id);
