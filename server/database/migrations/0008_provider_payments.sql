-- False: the provider sent it back without ever taking it, as it does with a second success of one order.
alter table provider_payments add column captured boolean not null default true;
-- What the provider says went back of it; where that is more than we know of, its refunds are looked up.
alter table provider_payments add column refunded_paise bigint not null default 0;
