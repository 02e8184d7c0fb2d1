-- Counters of messages sent, of minutes and days that are over (server/privacy/retention-store.ts).
grant delete on sign_in_budgets to kist_app;
