-- Staff look for borrowers whose account is open; one that was closed can be neither seen in the list nor acted for. The
-- indexes say so too, so that a search still needs nothing but them.
drop index users_search;
drop index users_list;
create index users_search on users using gin (search_text gin_trgm_ops) where kind = 'borrower' and disabled_at is null;
create index users_list on users (last_name, first_name, user_id) include (search_text) where kind = 'borrower' and disabled_at is null;

create or replace view borrower_search as
  select user_id, last_name, first_name, search_text from users
  where kind = 'borrower' and disabled_at is null and current_setting('app.system', true) = 'on';
