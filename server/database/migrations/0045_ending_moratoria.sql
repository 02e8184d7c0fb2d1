-- Without a transaction.
-- Loans whose EMIs begin soon (server/rate-resets/announce-emi-start.ts).
create index concurrently if not exists loans_moratorium on loans (moratorium_until, borrower_id) where moratorium_until is not null;
