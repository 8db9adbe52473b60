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

ENV_OPTIONS=()
if [[ "${1:-}" == --config ]]; then
  ENV_OPTIONS=(--config "${2:-}")
  shift 2 || shift
fi
case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  "" | -*)
    usage >&2
    exit 2
    ;;
esac

ZOOBINDIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh" "${ENV_OPTIONS[@]}"

find_jars
release=unknown
for jar in "$ZOO_LIB_DIR"/zookeeper-server-core-*.jar; do
  jar="${jar##*/zookeeper-server-core-}"
  release="${jar%.jar}"
done
# the files may hold transactions and names of any length that a server takes, and nodes with a time to live
IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_MODULE_FLAGS ${ZK_SERVER_HEAP:+-Xmx${ZK_SERVER_HEAP}m} ${JVMFLAGS:-}" || true
exec "${JAVA_COMMAND[@]}" -Dlogback.configurationFile=logback-cli.xml "-Dchainkeeper.release=$release" \
  -Djute.maxbuffer=268435456 -Dzookeeper.extendedTypesEnabled=true "${flags[@]}" \
  io.chainkeeper.main.BackupCommand "$ZOOCFG" "$@"
