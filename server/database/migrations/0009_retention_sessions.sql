-- Without a transaction.
-- What has served its time is found without reading the rest (server/privacy/retention-store.ts).
create index concurrently sessions_age on sessions (expires_at);
