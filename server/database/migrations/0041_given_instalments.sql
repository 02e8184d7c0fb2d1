-- A rate change can give the instalment (decision 25). The number of instalments then follows.
alter table rate_changes add column instalment_paise bigint check (instalment_paise > 0);
-- safe: the version before writes no rate changes, so the table is empty.
alter table rate_changes drop constraint rate_changes_keep_check;
-- safe: the version before writes no rate changes, so the table is empty.
alter table rate_changes add constraint rate_changes_keep_check check (keep in ('instalment', 'tenor', 'both'));
-- safe: the version before writes no rate changes, so the table is empty.
alter table rate_changes add constraint rate_changes_given_check check ((keep = 'both') = (instalment_paise is not null));
