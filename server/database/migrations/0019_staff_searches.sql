-- What staff searched for. The entry users_searched of the access log names the row and holds a hash of it: the words can be erased with
-- the person they name, the signed entry cannot (docs/privacy.md).
create table staff_searches (
  -- The staff member who searched.
  user_id uuid not null,
  search_id uuid not null,
  searched_at timestamptz not null,
  words text[] not null,
  -- Without it the hash in the access log says nothing about the words.
  salt bytea not null,
  primary key (user_id, search_id)
);
create index staff_searches_age on staff_searches (searched_at);
alter table staff_searches enable row level security;
create policy system_only on staff_searches to kist_app
  using (current_setting('app.system', true) = 'on') with check (current_setting('app.system', true) = 'on');
-- The retention job locks the rows that it deletes, which needs the right to update a column.
grant select, insert, delete, update (searched_at) on staff_searches to kist_app;
