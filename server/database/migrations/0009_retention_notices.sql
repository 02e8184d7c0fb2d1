-- Without a transaction.
-- What has served its time is found without reading the rest (server/privacy/retention-store.ts).
create index concurrently notices_age on notices (created_at);
