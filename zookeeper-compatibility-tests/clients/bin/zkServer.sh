#!/usr/bin/env bash
# For go-zookeeper's tests: zkServer.sh that starts Chainkeeper where a zoo.cfg asks for ZooKeeper.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/replicate.sh"
replicate "${!#}"
exec "$CHAINKEEPER_BIN/zkServer.sh" "$@"
