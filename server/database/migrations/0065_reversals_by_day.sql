-- Without a transaction.
-- The day after a reversal its money holds no late charge any more (server/notices/announce-late-charges.ts).
create index concurrently if not exists ledger_transactions_reversals on ledger_transactions (posted_at, borrower_id)
  where reverses_transaction_id is not null;
