-- Without a transaction.
-- Who read a borrower's profile, as the borrower reads it (server/staff/staff-access-store.ts): however long the log is.
create index concurrently if not exists access_log_reads_of_profile on access_log (subject_id, sequence) where action = 'profile_viewed';
