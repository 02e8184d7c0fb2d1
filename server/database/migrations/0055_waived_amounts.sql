-- How much of the charge the lender decided to waive: what was unpaid then. Null where the waiver is older than this
-- column: everything that is unpaid on its day.
alter table charges add column waived_paise bigint constraint charges_waived_paise_check check (waived_paise > 0);
