#!/bin/sh
# Brings back one piece of PostgreSQL's log from the first of the directories that has it, packed or as the server left it:
#   restore_command = '/path/to/ops/postgres/wal-fetch.sh "%f" "%p" /mnt/other-disk/wal /mnt/saved/pg_wal'
# Says 1 when none has it: PostgreSQL takes the log as ended and opens the database. Says 255 when a directory is not there, or
# when no copy of the piece can be read: above 125 PostgreSQL stops instead, and loses nothing.
set -u
name=$1 target=$2
shift 2
code=1
for directory in "$@"; do
  [ -d "$directory" ] && [ -x "$directory" ] || { echo "wal-fetch: $directory is not there" >&2; exit 255; }
  if [ -f "$directory/$name.gz" ]; then
    gzip -dc "$directory/$name.gz" > "$target" && exit 0
  elif [ -f "$directory/$name" ]; then
    cp "$directory/$name" "$target" && exit 0
  else
    continue
  fi
  echo "wal-fetch: $name in $directory cannot be read" >&2
  code=255
  rm -f "$target"
done
exit "$code"
