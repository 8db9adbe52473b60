#!/usr/bin/env bash
# Prints a snapshot: zkSnapShotToolkit.sh [-d | -json] SNAPSHOT_FILE

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
run_tool org.apache.zookeeper.server.SnapshotFormatter "$@"
