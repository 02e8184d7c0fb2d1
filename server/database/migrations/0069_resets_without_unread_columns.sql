-- Nothing has ever read these two columns, and nothing fills them any more; the next release drops them.
alter table rate_resets
  alter column instalment_before_paise drop not null,
  alter column computed_at drop not null;
