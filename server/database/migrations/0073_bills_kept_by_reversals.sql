-- The bills of later instalments that other payments had paid when this reversal took a payment back: they do not change. Null: none.
alter table ledger_transactions add column kept_rows jsonb;
