#!/bin/sh
# Prepares a PostgreSQL data directory from a base backup and the kept log; starting the server then brings it to the end of the
# log, or to a moment. Run as the account that PostgreSQL runs as:
#   ops/postgres/pitr-restore.sh BASE DATA [--until '2026-12-05 04:00:00+00'] [--timeline N] LOG…
# BASE is what pg_basebackup wrote (-Fp), DATA is new or empty, each LOG a directory of wal-archive.sh or a pg_wal that survived.
# Without --timeline it follows the newest timeline of the log. The restored server archives nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 3 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
base=$1 data=$2
shift 2
until= timeline=latest
while :; do
  case $1 in
    --until) until=$2 ;;
    --timeline) timeline=$2 ;;
    *) break ;;
  esac
  shift 2
done
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
  # The base may come from a server that was itself restored: the last line of a setting counts. An empty time means no moment.
  echo "recovery_target_time = '$until'"
  echo "recovery_target_timeline = '$timeline'"
  echo "recovery_target_action = promote"
  # Else the timeline of a copy enters the archive of production, and the next restore follows it.
  echo "archive_mode = off"
} >> "$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "pitr-restore: $data is ready; start PostgreSQL on it, then run kist check"
echo "pitr-restore: it does not archive its log (archive_mode = off, the last line of $data/postgresql.auto.conf)"
