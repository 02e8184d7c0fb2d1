-- When a session had documents written, within the last hour (decision 64).
alter table sessions add column documents_generated_at timestamptz[] not null default '{}';

-- The bytes of a borrower's latest documents are kept. The row stays, and with it the code that verifies the document.
alter table generated_documents
  -- When the bytes were written last; null: when the row was.
  add column bytes_written_at timestamptz,
  -- Null: the bytes are kept.
  add column bytes_removed_at timestamptz;
grant update (size_bytes, sha256, storage_key, bytes_written_at, bytes_removed_at) on generated_documents to kist_app;
