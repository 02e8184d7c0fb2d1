-- Staff record credit that the lender's bank returned.
alter table operation_proposals drop constraint operation_proposals_kind_check;
-- The version before writes fewer kinds.
alter table operation_proposals add constraint operation_proposals_kind_check check (kind in (
  'charge_add', 'charge_waive', 'payment_record', 'payment_reverse', 'tranche_approve', 'tranche_reject', 'tranche_release',
  'credit_refund', 'credit_return', 'foreclosure_waive', 'review_resolve',
  'benchmark_publish', 'rate_reset_run', 'rate_reset_withdraw', 'paper_publish')) not valid;
