-- So that the tables can be distributed over several PostgreSQL servers by Citus (docs/scale.md): it refuses sub-selects in
-- policies and triggers on distributed tables. The rows that each policy allows stay the same.

create or replace function guard_rows(guarded regclass, owned_by text) returns void
  language plpgsql
  as $$
  declare
    system_work constant text := $sql$current_setting('app.system', true) = 'on'$sql$;
    condition constant text := case when owned_by is null then system_work else system_work || ' or ' || owned_by end;
  begin
    execute format('alter table %s enable row level security', guarded);
    execute format('drop policy if exists own_rows on %s', guarded);
    execute format('create policy own_rows on %s to kist_app using (%s) with check (%s)', guarded, condition, condition);
  end
  $$;

-- After each migration (server/migrate.ts).
create or replace function guard_borrower_tables() returns void
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
      perform guard_rows(unguarded, $sql$borrower_id = nullif(current_setting('app.borrower_id', true), '')::uuid$sql$);
    end loop;
  end
  $$;

-- Every policy that has a sub-select. The access log follows with its new column type, in the next file.
do $$
  declare
    guarded record;
  begin
    for guarded in
      select polrelid::regclass as name,
        case
          when pg_get_expr(polqual, polrelid) not like '%app.borrower_id%' then null
          when polrelid in ('users'::regclass, 'user_phones'::regclass) then 'user_id'
          else (
            select attname::text from pg_attribute
            where attrelid = polrelid and attname = 'borrower_id' and not attisdropped
          )
        end as owner
      from pg_policy
      where polname = 'own_rows' and pg_get_expr(polqual, polrelid) ~* '\mselect\M'
        and polrelid not in ('access_log'::regclass, 'access_log_heads'::regclass)
    loop
      perform guard_rows(guarded.name,
        case when guarded.owner is not null
          then guarded.owner || $sql$ = nullif(current_setting('app.borrower_id', true), '')::uuid$sql$ end);
    end loop;
  end
$$;

-- A session is read with the access of its own person, on the server that holds that person's rows (server/auth/read-caller.ts).
create policy own_sessions on sessions for select to kist_app
  using (user_id = nullif(current_setting('app.borrower_id', true), '')::uuid);

-- Sets whose rows the transaction reaches, by SET LOCAL: Citus passes that on to the nodes that hold the rows (connect.ts).
create function set_access(borrower_id text, system_work text) returns void
  language plpgsql
  as $$
  begin
    execute format('set local app.borrower_id = %L', borrower_id);
    execute format('set local app.system = %L', system_work);
  end
  $$;
revoke execute on function set_access from public;
grant execute on function set_access to kist_app;

-- Adds a step of a link, not before the last one. Citus refuses a sub-select within the values of an insert.
create function add_link_step(
  of_borrower uuid, of_link uuid, new_step uuid, stepped_at timestamptz, from_link_status text, to_link_status text, step_source text, step_actor text
) returns void
  language plpgsql
  as $$
  declare
    last_at timestamptz;
  begin
    select max(at) into last_at from payment_link_history where borrower_id = of_borrower and payment_intent_id = of_link;
    insert into payment_link_history (borrower_id, payment_intent_id, step_id, at, from_status, to_status, source, actor_id)
    values (of_borrower, of_link, new_step, greatest(stepped_at, last_at + interval '1 microsecond'), from_link_status, to_link_status,
      step_source, step_actor);
  end
  $$;
revoke execute on function add_link_step from public;
grant execute on function add_link_step to kist_app;

-- Issues receipts for a loan's payments without one, numbered in the order of their posting. The caller holds the loan's row lock.
-- The bank's reference is null if unknown; a payment outside the provider has the reference that it was recorded with.
create function issue_receipts(of_borrower uuid, of_loan uuid, prefix text, issued_now timestamptz) returns setof text
  language plpgsql
  as $$
  declare
    payment record;
    last_sequence bigint;
  begin
    select coalesce(max(sequence), 0) into last_sequence from receipts where borrower_id = of_borrower and loan_id = of_loan;
    for payment in
      select t.transaction_id, t.amount_paise,
        case when p.provider_payment_id is null then t.source_id else p.bank_reference end as bank_reference
      from ledger_transactions as t
      left join receipts as r on r.borrower_id = t.borrower_id and r.loan_id = t.loan_id and r.transaction_id = t.transaction_id
      left join provider_payments as p
        on p.borrower_id = t.borrower_id and p.provider = t.source and p.provider_payment_id = t.source_id
      where t.borrower_id = of_borrower and t.loan_id = of_loan and t.kind = 'repayment' and r.transaction_id is null
      order by t.sequence
    loop
      last_sequence := last_sequence + 1;
      insert into receipts (borrower_id, loan_id, transaction_id, amount_paise, bank_reference, sequence, receipt_number, issued_at)
      values (of_borrower, of_loan, payment.transaction_id, payment.amount_paise, payment.bank_reference, last_sequence,
        prefix || last_sequence, issued_now);
      return next prefix || last_sequence;
    end loop;
  end
  $$;
revoke execute on function issue_receipts from public;
grant execute on function issue_receipts to kist_app;

-- Counts all borrowers, unless they are many and were counted lately, and puts the number into the setting `app.count`
-- (server/staff/user-list-store.ts).
create function count_borrowers(known_count text, always_counted_max bigint) returns bigint
  language plpgsql
  as $$
  declare
    counted bigint;
  begin
    select count(*) into counted from (select 1 from borrower_search limit always_counted_max + 1) as first;
    if counted > always_counted_max then
      counted := nullif(known_count, '')::bigint;
      if counted is null then
        select count(*) into counted from borrower_search;
      end if;
    end if;
    perform set_config('app.count', counted::text, true);
    return counted;
  end
  $$;
revoke execute on function count_borrowers from public;
grant execute on function count_borrowers to kist_app;

-- The words of the staff's search are added by what adds a borrower (server/staff/search-words-store.ts).
drop trigger users_words_inserted on users;
drop trigger users_words_updated on users;
-- safe: no statement names the function, and its triggers are gone.
drop function add_user_search_words();
grant insert on user_search_words to kist_app;
