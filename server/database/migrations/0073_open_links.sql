-- Without a transaction.
-- The open links of a borrower, without reading all of them.
create index concurrently if not exists payment_links_open on payment_links (borrower_id, loan_id)
  where status in ('creating', 'created', 'partially_paid') or (status = 'paid' and not rps_updated);
