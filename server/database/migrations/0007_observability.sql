-- What is counted for the graphs is found without reading what is done (server/telemetry/figures-store.ts).
create index provider_payments_unposted on provider_payments (seen_at) where transaction_id is null;
