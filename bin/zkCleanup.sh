#!/usr/bin/env bash
# Deletes old snapshots and transaction logs of the server that zoo.cfg describes: zkCleanup.sh -n COUNT (at least 3)

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"

DATA_DIR="$(config_value "$ZOOCFG" dataDir)"
DATA_LOG_DIR="$(config_value "$ZOOCFG" dataLogDir)"
if [[ -z "$DATA_DIR" ]]; then
  echo "Error: no dataDir found in $ZOOCFG; set ZOOCFGDIR and ZOOCFG to where the server's zoo.cfg is" >&2
  exit 1
fi
directories=("$DATA_DIR")
if [[ -n "$DATA_LOG_DIR" ]]; then
  directories=("$DATA_LOG_DIR" "$DATA_DIR")
fi
run_tool org.apache.zookeeper.server.PurgeTxnLog "${directories[@]}" "$@"
