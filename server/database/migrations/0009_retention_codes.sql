-- Without a transaction.
-- What has served its time is found without reading the rest (server/privacy/retention-store.ts).
create index concurrently sign_in_codes_age on sign_in_codes (created_at);
