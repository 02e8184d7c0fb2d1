-- The second lock: whatever a query forgets to ask for, kist_app only ever reaches the rows of the borrower whom the transaction
-- names (app.borrower_id), or all of them where it says that it is the system's own work (app.system): see connect.ts. Without
-- either it reaches none. The owner, who migrates, imports and backs up, is not bound by this; the server never signs in as it.

-- Sub-selects, so that each setting is read once a query and not once a row.
create function guard_rows(guarded regclass, owned_by text) returns void
  language plpgsql
  as $$
  declare
    system_work constant text := $sql$(select current_setting('app.system', true)) = 'on'$sql$;
    condition constant text := case when owned_by is null then system_work else system_work || ' or ' || owned_by end;
  begin
    execute format('alter table %s enable row level security', guarded);
    execute format('drop policy if exists own_rows on %s', guarded);
    execute format('create policy own_rows on %s to kist_app using (%s) with check (%s)', guarded, condition, condition);
  end
  $$;

-- Every table with a borrower_id, by itself: a new one is guarded when it is made (migrate.ts calls this after each migration).
create function guard_borrower_tables() returns void
  language plpgsql
  as $$
  declare
    unguarded regclass;
  begin
    for unguarded in
      select tables.oid::regclass
      from pg_class as tables
      join pg_attribute as columns on columns.attrelid = tables.oid and columns.attname = 'borrower_id' and not columns.attisdropped
      where tables.relnamespace = 'public'::regnamespace and tables.relkind in ('r', 'p') and not tables.relrowsecurity
    loop
      perform guard_rows(unguarded, $sql$borrower_id = (select nullif(current_setting('app.borrower_id', true), '')::uuid)$sql$);
    end loop;
  end
  $$;
revoke execute on function guard_rows, guard_borrower_tables from public;

select guard_rows('users', $sql$user_id = (select nullif(current_setting('app.borrower_id', true), '')::uuid)$sql$);
select guard_rows('user_phones', $sql$user_id = (select nullif(current_setting('app.borrower_id', true), '')::uuid)$sql$);
select guard_rows('access_log', $sql$subject_id = (select nullif(current_setting('app.borrower_id', true), ''))$sql$);
select guard_rows('access_log_heads', $sql$subject_id = (select nullif(current_setting('app.borrower_id', true), ''))$sql$);
-- What nobody but the system has any business with.
select guard_rows(guarded, null)
from unnest(array[
  'sessions', 'sign_in_codes', 'sign_in_phones', 'sign_in_addresses', 'sign_in_budgets', 'webhook_inbox', 'audit_anchors', 'audit_anchor_heads',
  'user_search_words'
]::regclass[]) as guarded;
select guard_borrower_tables();
