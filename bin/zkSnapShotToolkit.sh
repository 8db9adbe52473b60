#!/usr/bin/env bash
# Prints a snapshot: zkSnapShotToolkit.sh [-d | -json] SNAPSHOT_FILE

ZOOBINDIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
run_tool org.apache.zookeeper.server.SnapshotFormatter "$@"
