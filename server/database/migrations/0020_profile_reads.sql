-- Without a transaction.
-- How many borrowers' profiles one staff member read in the last hour (server/staff/read-user.ts).
create index concurrently if not exists access_log_profile_reads on access_log (actor_id, at) where action = 'profile_viewed';
