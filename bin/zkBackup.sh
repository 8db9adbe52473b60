#!/usr/bin/env bash
# Takes backups of a server while it runs, lists and proves them, and makes data directories of them.

usage() {
  cat <<'USAGE'
zkBackup.sh [--config CONF_DIR] COMMAND ...

  backup --to DIRECTORY [--every TIME] [--keep COUNT] [ZOO_CFG]
      copy what DIRECTORY lacks from the directories of the server that ZOO_CFG describes, which may run: its newest
      snapshot, and the transactions since the last time. --every 15m (s, m, h, d) goes on until it is ended; --keep 7
      deletes what is older than seven snapshots (else everything stays)
  list DIRECTORY
      which states this backup can bring back
  verify DIRECTORY
      prove it: every checksum, and the digest of the tree at every transaction, by loading it
  restore DIRECTORY [--to-zxid ZXID | --to-time TIME] [--into DATA_DIR[,DATA_DIR...] | ZOO_CFG]
      fill the empty data directories of new servers with the state at a transaction (0x1c2f3), at a time
      (2026-11-24T03:15:00Z), or the last one that there is

ZOO_CFG is a path (default: zoo.cfg in CONF_DIR, or in conf/ beside bin/). The exit code is not 0 if anything is not
as it should be; nothing has been changed then. verify and restore need a heap as large as the server's: ZK_SERVER_HEAP (MB).
USAGE
}

# shellcheck disable=SC2034  # of zkTool.sh
NEEDS_COMMAND=true
ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkTool.sh
. "$ZOOBINDIR/zkTool.sh"
release=unknown
for jar in "$ZOO_LIB_DIR"/zookeeper-server-core-*.jar; do
  jar="${jar##*/zookeeper-server-core-}"
  release="${jar%.jar}"
done
# the files may hold transactions and names of any length that a server takes, and nodes with a time to live
JVMFLAGS="-Djute.maxbuffer=268435456 -Dzookeeper.extendedTypesEnabled=true ${ZK_SERVER_HEAP:+-Xmx${ZK_SERVER_HEAP}m} ${JVMFLAGS:-}"
run_tool "-Dchainkeeper.release=$release" io.chainkeeper.main.BackupCommand "$ZOOCFG" "$@"
