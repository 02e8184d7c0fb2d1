-- Without a transaction.
-- The day after its outcome a debit holds no late charge any more (server/notices/announce-late-charges.ts).
create index concurrently if not exists collections_by_outcome on collections (outcome_on, borrower_id);
