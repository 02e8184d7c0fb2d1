-- Without a transaction.
-- payment_links_one_standing says the same of every link that the version before makes or closes.
drop index concurrently payment_links_one_open;
