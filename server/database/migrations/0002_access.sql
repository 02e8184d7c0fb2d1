-- Staff, sessions and the audit: who may reach what, and the record of it.

-- Sessions: while staff act as a borrower, the session of their own sign-in stands behind the one that acts ------------

alter table sessions
  add column parent_session_id uuid,
  -- Why the staff member acts, in their words.
  add column reason text,
  add constraint sessions_parent check ((assumed_user_id is null) = (parent_session_id is null)) not valid;
create index sessions_children on sessions (user_id, parent_session_id) where parent_session_id is not null;

-- The audit: append only, a hash chain a subject -----------------------------------------------------------------------

-- Nothing was released yet; lines from before the chain are not worth keeping.
truncate access_log;
alter table access_log
  add column sequence bigint not null check (sequence > 0),
  -- sha256 of the line before it in its subject's chain and of this line's content (server/access-log.ts).
  add column hash bytea not null,
  add column session_id uuid,
  add column user_agent text,
  add constraint access_log_chain unique (subject_id, sequence);
create index access_log_session on access_log (subject_id, session_id) where session_id is not null;

-- The end of each chain, where the next line is appended.
create table access_log_heads (
  subject_id text primary key,
  sequence bigint not null,
  hash bytea not null,
  anchored_sequence bigint not null default 0
);
create index access_log_heads_unanchored on access_log_heads (subject_id) where sequence > anchored_sequence;

-- One signed line a day over the chains that grew; kept outside of the database too, by the server's log.
create table audit_anchors (
  day date primary key,
  made_at timestamptz not null,
  heads bigint not null,
  -- sha256 over the day's heads in the order of their subjects, and over the anchor before.
  digest bytea not null,
  key_id text not null,
  signature bytea not null
);
create table audit_anchor_heads (
  day date not null,
  subject_id text not null,
  sequence bigint not null,
  hash bytea not null,
  primary key (day, subject_id)
);

-- Sign-in limits by address; the phone's own are in sign_in_phones ------------------------------------------------------

create table sign_in_addresses (
  -- An IPv4 address, or the /64 of an IPv6 one.
  address text primary key,
  -- Codes sent in the last hour, oldest first; and answers that nobody has the phone.
  sent_at timestamptz[] not null default '{}',
  unknown_at timestamptz[] not null default '{}',
  used_at timestamptz not null
);
create index sign_in_addresses_used on sign_in_addresses (used_at);

-- How many text messages left in one period of the clock: `minute` or `day` and its beginning.
create table sign_in_budgets (
  period text not null check (period in ('minute', 'day')),
  starts_at timestamptz not null,
  sends integer not null,
  primary key (period, starts_at)
);
-- Of the codes sent lately, how many were used.
create index sign_in_codes_created on sign_in_codes (created_at) include (consumed_at, phone);

-- The staff's list of borrowers -----------------------------------------------------------------------------------------

create extension if not exists pg_trgm;

-- What a search looks into: every word begins after a blank or a line's end, and no match runs from one field into the next.
alter table users
  add constraint users_lengths check (length(first_name) <= 100 and length(last_name) <= 100 and length(email) <= 254),
  add column search_text text not null generated always as
    (lower(' ' || first_name || ' ' || last_name || E'\n' || coalesce(email, '') || E'\n' || phone || E'\n' || coalesce(pan, ''))) stored;
-- Much finer than the default: the planner must tell a name that one in ten bears from one that one in ten thousand does.
alter table users alter column search_text set statistics 1000;
create index users_search on users using gin (search_text gin_trgm_ops) where kind = 'borrower';
create index users_list on users (last_name, first_name, user_id) include (search_text) where kind = 'borrower';

-- Every word that occurs in a borrower's name or e-mail address: where a mistyped one is looked up.
create table user_search_words (
  word text primary key check (length(word) between 3 and 100)
);
create index user_search_words_alike on user_search_words using gin (word gin_trgm_ops);

create function user_words(first_name text, last_name text, email text) returns setof text
  language sql immutable parallel safe
  as $$
    select distinct word
    from regexp_split_to_table(lower(first_name || ' ' || last_name || ' ' || coalesce(email, '')), '[\x01-\x40\x5b-\x60\x7b-\x7f]+') as word
    where length(word) between 3 and 100
  $$;

create function add_user_search_words() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
  begin
    insert into user_search_words (word)
    select distinct word from changed, user_words(first_name, last_name, email) as word where kind = 'borrower'
    on conflict do nothing;
    return null;
  end
  $$;
create trigger users_words_inserted after insert on users referencing new table as changed
  for each statement execute function add_user_search_words();
create trigger users_words_updated after update on users referencing new table as changed
  for each statement execute function add_user_search_words();
insert into user_search_words (word)
select distinct word from users, user_words(first_name, last_name, email) as word where kind = 'borrower'
on conflict do nothing;

-- What kist_app may do ----------------------------------------------------------------------------------------------------

grant select, insert, update on access_log_heads, sign_in_budgets to kist_app;
grant select, insert, update, delete on sign_in_addresses to kist_app;
grant select, insert on audit_anchors, audit_anchor_heads to kist_app;
grant select on user_search_words to kist_app;

-- Borrowers as the staff's list looks through them. A view, because the operators of a search are not of those that may look
-- at rows before row-level security has: here they may, and the condition in front lets nobody in but the system's own work.
create view borrower_search as
  select user_id, last_name, first_name, search_text from users
  where kind = 'borrower' and current_setting('app.system', true) = 'on';
grant select on borrower_search to kist_app;
