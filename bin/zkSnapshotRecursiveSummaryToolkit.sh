#!/usr/bin/env bash
# Prints how many znodes and bytes a snapshot holds below a znode:
# zkSnapshotRecursiveSummaryToolkit.sh SNAPSHOT_FILE STARTING_NODE MAX_DEPTH

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
run_tool org.apache.zookeeper.server.SnapshotRecursiveSummary "$@"
