#!/bin/sh
# Makes Kist's two logins and its database in an empty PostgreSQL, as its superuser: by hand with psql's own settings
# (PGHOST, PGUSER …), or by the PostgreSQL image at its first start. Takes KIST_OWNER_PASSWORD and KIST_APP_PASSWORD.
set -eu
: "${KIST_OWNER_PASSWORD:?is missing}" "${KIST_APP_PASSWORD:?is missing}"
export KIST_OWNER_PASSWORD KIST_APP_PASSWORD
# psql reads the passwords itself: everybody on the machine can see the arguments of a process.
psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-${PGUSER:-postgres}}" --dbname postgres << 'SQL'
\getenv owner_password KIST_OWNER_PASSWORD
\getenv app_password KIST_APP_PASSWORD
create role kist_owner login password :'owner_password';
create role kist_app login password :'app_password';
create database kist owner kist_owner encoding 'UTF8' template template0;
revoke all on database kist from public;
grant connect on database kist to kist_app;
SQL
