#!/usr/bin/env bash
# Prints a transaction log, and repairs wrong checksums in a copy of it: zkTxnLogToolkit.sh [-d] [-r] [-v] [-y] LOG_FILE

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
run_tool org.apache.zookeeper.server.persistence.TxnLogToolkit "$@"
