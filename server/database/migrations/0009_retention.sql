-- What has an end is removed by the serving login (server/privacy/retention-store.ts); the ledger, the histories and the access log have none.
grant delete on sign_in_codes, sessions, notices, webhook_inbox to kist_app;
