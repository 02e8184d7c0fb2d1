-- With every process stopped.
-- The access log is kept with the rows of its subject, so its subject is a UUID like theirs. What concerns no person (a product,
-- a queue) is named by a word: its id is derived from the word (server/access-log.ts). The hashes of older entries cover the word.

drop policy own_rows on access_log;
drop policy own_rows on access_log_heads;

alter table access_log add column subject_name text;
alter table access_log_heads add column subject_name text;
alter table audit_anchor_heads add column subject_name text;
-- safe: no process runs; few entries concern no person.
update access_log set subject_name = subject_id where subject_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
-- safe: no process runs; few entries concern no person.
update access_log_heads set subject_name = subject_id where subject_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
-- safe: no process runs; few entries concern no person.
update audit_anchor_heads set subject_name = subject_id where subject_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
-- safe: no process runs, so the lock keeps nobody waiting.
alter table access_log alter column subject_id type uuid
  using case when subject_name is null then subject_id::uuid else encode(substring(sha256(convert_to(subject_name, 'UTF8')) for 16), 'hex')::uuid end;
-- safe: no process runs, so the lock keeps nobody waiting.
alter table access_log_heads alter column subject_id type uuid
  using case when subject_name is null then subject_id::uuid else encode(substring(sha256(convert_to(subject_name, 'UTF8')) for 16), 'hex')::uuid end;
-- safe: no process runs, so the lock keeps nobody waiting.
alter table audit_anchor_heads alter column subject_id type uuid
  using case when subject_name is null then subject_id::uuid else encode(substring(sha256(convert_to(subject_name, 'UTF8')) for 16), 'hex')::uuid end;

select guard_rows(guarded, $$subject_id = nullif(current_setting('app.borrower_id', true), '')::uuid$$)
from unnest(array['access_log', 'access_log_heads']::regclass[]) as guarded;

-- Appends an entry and moves the end of its subject's chain: both at once in one statement (server/access-log.ts).
create function append_access_entry(
  subject_id uuid, subject_name text, entry_id uuid, at timestamptz, actor_id text, action text, outcome text, request_id text,
  session_id uuid, remote_address text, user_agent text, detail jsonb, count_name text, content_before text, content_after text
) returns setof uuid
  language plpgsql
  as $$
  #variable_conflict use_column
  declare
    content bytea;
    chain_sequence bigint;
    chain_hash bytea;
  begin
    -- Compares texts: the setting is empty if no borrower is set.
    if current_setting('app.system', true) is distinct from 'on'
      and current_setting('app.borrower_id', true) is distinct from $1::text then
      return;
    end if;
    content := convert_to($14 || case when $13 is null then '' else current_setting('app.count') end || $15, 'UTF8');
    insert into access_log_heads as head (subject_id, subject_name, sequence, hash)
    values ($1, $2, 1, sha256(content))
    on conflict (subject_id) do update set sequence = head.sequence + 1, hash = sha256(head.hash || content)
    returning head.sequence, head.hash into chain_sequence, chain_hash;
    if $13 is not null then
      $12 := jsonb_set($12, array[$13], to_jsonb(current_setting('app.count')::bigint));
    end if;
    insert into access_log (subject_id, subject_name, entry_id, at, actor_id, action, outcome, request_id, session_id, remote_address,
      user_agent, detail, sequence, hash)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, chain_sequence, chain_hash);
    return next $3;
  end
  $$;
revoke execute on function append_access_entry from public;
grant execute on function append_access_entry to kist_app;
