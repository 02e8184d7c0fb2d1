-- Without a transaction.
-- The day after it was taken back, refunded money holds no late charge any more (server/notices/announce-late-charges.ts).
create index concurrently if not exists refunds_by_lender on refunds (asked_at, borrower_id) where reason = 'by_lender';
