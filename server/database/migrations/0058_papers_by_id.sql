-- Without a transaction.
-- Staff open a paper by its id alone (findPaperOfAnyone); the key begins with the borrower.
create index concurrently if not exists loan_papers_by_id on loan_papers (paper_id);
