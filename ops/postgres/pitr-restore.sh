#!/bin/sh
# Prepares a PostgreSQL data directory from a base backup and the kept log; starting the server then brings it to the end of the
# log, or to a moment. Run as the account that PostgreSQL runs as:
#   ops/postgres/pitr-restore.sh BASE DATA [--until '2026-12-05 04:00:00+00'] LOG…
# BASE is what pg_basebackup wrote (-Fp), DATA is new or empty, each LOG a directory of wal-archive.sh or a pg_wal that survived.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 3 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
base=$1 data=$2
shift 2
until=
if [ "$1" = --until ]; then until=$2; shift 2; fi
[ -f "$base/backup_label" ] || { echo "pitr-restore: $base is no base backup: it has no backup_label" >&2; exit 1; }
if [ -d "$data" ] && [ -n "$(ls -A "$data")" ]; then echo "pitr-restore: $data is not empty" >&2; exit 1; fi
logs=
for log in "$@"; do
  [ -d "$log" ] || { echo "pitr-restore: $log is no directory" >&2; exit 1; }
  case $log in *[\"\$\`\\%]*) echo "pitr-restore: $log has a letter that the restore command cannot have" >&2; exit 1 ;; esac
  logs="$logs \"$(cd "$log" && pwd)\""
done
mkdir -p "$data"
chmod 700 "$data"
cp -a "$base/." "$data/"
{
  # In a setting, a quote is written twice.
  echo "restore_command = '$(printf '%s' "\"$here/wal-fetch.sh\" \"%f\" \"%p\"$logs" | sed "s/'/''/g")'"
  # The base may come from a server that was itself restored up to a moment: the last line counts, and an empty one means no moment.
  echo "recovery_target_time = '$until'"
  echo "recovery_target_action = promote"
} >> "$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "pitr-restore: $data is ready; start PostgreSQL on it, then run kist check"
