-- Money came after the link was closed; the loan may have its next link by then, in whose way this one must not stand.
alter table payment_links add column landed_late boolean not null default false;
