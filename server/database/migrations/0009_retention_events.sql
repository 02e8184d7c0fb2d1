-- Without a transaction.
-- What has served its time is found without reading the rest (server/privacy/retention-store.ts).
create index concurrently webhook_inbox_age on webhook_inbox (received_at) where processed_at is not null;
