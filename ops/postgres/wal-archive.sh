#!/bin/sh
# Keeps one finished piece of PostgreSQL's log, packed. Of a server of your own:
#   archive_mode = on
#   archive_timeout = 30
#   archive_command = '/path/to/ops/postgres/wal-archive.sh "%p" "%f" /mnt/other-disk/wal'
# It says 0 only when the piece is on the disk; PostgreSQL asks again for as long as it says anything else.
set -eu
piece=$1 name=$2 archive=$3
kept="$archive/$name.gz"
if [ -e "$kept" ]; then
  # Asked a second time, after a crash between keeping it and hearing so. Another content under this name is never overwritten.
  gzip -dc "$kept" | cmp -s - "$piece" && exit 0
  echo "wal-archive: $kept is there with another content: two clusters use one archive" >&2
  exit 1
fi
gzip -c "$piece" > "$kept.part"
sync "$kept.part" 2> /dev/null || sync
mv "$kept.part" "$kept"
sync "$archive" 2> /dev/null || sync
