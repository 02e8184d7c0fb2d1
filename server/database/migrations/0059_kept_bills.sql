-- The bills of instalments after the disbursal that were paid when it was recorded: they do not change. Null: none.
alter table disbursals add column kept_rows jsonb;
