-- A foreclosure that falls short, what the lender then gives up, quotes made on the evening before their day, and credit of closed loans
-- (decisions 54 and 55).

-- Of a repayment: the day its quote was for, where the quote was made on the evening before. Null: any other quote, or none.
alter table ledger_transactions add column quoted_ahead_for date;
alter table ledger_transactions add constraint ledger_transactions_quoted_ahead_check check (
  quoted_ahead_for is null or (kind = 'repayment' and quoted_ahead_for - value_date in (0, 1))) not valid;

-- A fact of the loan: the lender gives up what is left after a foreclosure that fell short. It counts where it closes the loan.
create table foreclosure_waivers (
  borrower_id uuid not null,
  loan_id uuid not null,
  waiver_id uuid not null,
  waived_on date not null,
  amount_paise bigint not null check (amount_paise > 0),
  decided_at timestamptz not null,
  decided_by text not null check (decided_by <> ''),
  primary key (borrower_id, loan_id, waiver_id)
);

-- Loans that the system has to look at: credit that goes back once the loan is closed, a foreclosure that fell short. Written in the
-- transaction that changes the loan, so that a worker finds it whatever happens after the commit.
create table loan_follow_ups (
  borrower_id uuid not null,
  loan_id uuid not null,
  next_check_at timestamptz not null,
  attempts integer not null default 0,
  primary key (borrower_id, loan_id)
);
create index loan_follow_ups_due on loan_follow_ups (next_check_at);

-- By when somebody must have settled it; null where the kind names no day.
alter table payment_reviews add column due_on date;

grant select, insert on foreclosure_waivers to kist_app;
grant select, insert, update, delete on loan_follow_ups to kist_app;

-- Credit that closed loans have had until now is looked at once.
insert into loan_follow_ups (borrower_id, loan_id, next_check_at)
select borrower_id, loan_id, now() from ledger_entries
where account = 'excess' group by borrower_id, loan_id having sum(credit_paise - debit_paise) > 0;
