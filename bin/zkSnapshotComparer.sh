#!/usr/bin/env bash
# Compares two snapshots: zkSnapshotComparer.sh -l SNAPSHOT_FILE -r SNAPSHOT_FILE -b BYTES -n NODES [-d] [-i]

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
run_tool org.apache.zookeeper.server.SnapshotComparer "$@"
