-- Without a transaction.
-- When staff acted as a borrower, as the borrower reads it (server/staff/staff-access-store.ts): however long the log is.
create index concurrently if not exists access_log_assumptions on access_log (subject_id, sequence) where action = 'assume_started';
