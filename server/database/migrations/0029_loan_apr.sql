-- The annual percentage rate of a loan as sanctioned, in hundredths of a percent, and the first disbursal for which it was
-- computed (server/loans/apr-store.ts). Null: no disbursal, or written before these columns existed. A rate of another first
-- disbursal is not used: the version before adds disbursals without a rate. The first read of such a loan stores it.
alter table loans add column apr_basis_points bigint;
alter table loans add column apr_disbursed_on date;
