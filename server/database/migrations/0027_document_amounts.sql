-- The amount that a document states, for its verification. Null for documents written before this column existed.
alter table generated_documents add column amount_paise bigint;
