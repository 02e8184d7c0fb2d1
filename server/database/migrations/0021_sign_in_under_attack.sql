-- Sign-in under attack: devices that a person signed in on, answers by network, and the breaker for codes that nobody uses.

-- One row a person and browser that signed in. Its limits are its own: nobody without the device's cookie can use them up.
create table sign_in_devices (
  user_id uuid not null,
  -- Keyed hash of the cookie's random id and the person: rows of two people do not show that they share a browser.
  device_hash bytea not null,
  -- When the cookie was issued last; it is valid for 180 days.
  issued_at timestamptz not null,
  -- As in sign_in_phones, for codes asked for on this device.
  failures integer not null default 0,
  locked_until timestamptz,
  signed_in_at timestamptz,
  sent_at timestamptz[] not null default '{}',
  primary key (user_id, device_hash)
);
create index sign_in_devices_age on sign_in_devices (issued_at);
select guard_rows('sign_in_devices', null);
grant select, insert, update, delete on sign_in_devices to kist_app;

-- Null: the code was asked for on an unknown device.
alter table sign_in_codes add column device_hash bytea;

alter table sign_in_phones
  -- From which network each code of `sent_at` was asked for, as a keyed hash, in the same order.
  add column sent_from text[] not null default '{}',
  -- Until then the breaker lets codes to this phone pass: an operator has unlocked it.
  add column unlocked_until timestamptz;

-- Answers to POST /auth/login by network: an address, or a prefix of it. Replaces sign_in_addresses, which no process
-- of this version writes; a later release drops it.
create table sign_in_networks (
  network text primary key,
  -- Answers of the last hour that no sign-in followed, oldest first.
  answered_at timestamptz[] not null default '{}',
  used_at timestamptz not null
);
create index sign_in_networks_used on sign_in_networks (used_at);
select guard_rows('sign_in_networks', null);
grant select, insert, update, delete on sign_in_networks to kist_app;

-- The token bucket of codes to unknown devices, over the whole portal; one row. A code takes a token, a sign-in gives it back.
create table sign_in_breaker (
  is_only_row boolean primary key default true check (is_only_row),
  -- When every token will be back. The bucket holds one day's tokens, so it is empty while this is a day away.
  full_at timestamptz not null,
  -- Sign-ins of the last 30 days, and when they were counted.
  month_sign_ins bigint not null default 0,
  counted_at timestamptz
);
insert into sign_in_breaker (full_at) values ('1970-01-01T00:00:00Z');
select guard_rows('sign_in_breaker', null);
grant select, update on sign_in_breaker to kist_app;
