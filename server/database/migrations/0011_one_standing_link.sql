-- Without a transaction.
-- One link stands in the way of the next (decision 37): asked for, open, or paid and not yet applied. Money that lands on a closed
-- link is taken at once though the loan's next link is open.
create unique index concurrently payment_links_one_standing on payment_links (borrower_id, loan_id)
  where not landed_late and (status in ('creating', 'created', 'partially_paid') or (status = 'paid' and not rps_updated));
