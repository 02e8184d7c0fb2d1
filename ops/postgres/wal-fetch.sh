#!/bin/sh
# Brings back one piece of PostgreSQL's log from the first of the directories that has it, packed or as the server left it:
#   restore_command = '/path/to/ops/postgres/wal-fetch.sh "%f" "%p" /mnt/other-disk/wal /mnt/saved/pg_wal'
# Says 1 when none has it: then the end is reached.
set -eu
name=$1 target=$2
shift 2
for directory in "$@"; do
  if [ -f "$directory/$name.gz" ]; then
    gzip -dc "$directory/$name.gz" > "$target"
    exit 0
  fi
  if [ -f "$directory/$name" ]; then
    cp "$directory/$name" "$target"
    exit 0
  fi
done
exit 1
