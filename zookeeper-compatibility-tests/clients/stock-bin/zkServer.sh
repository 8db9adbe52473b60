#!/usr/bin/env bash
# For go-zookeeper's tests, to compare: zkServer.sh that starts Apache ZooKeeper itself, from the same jars.
set -euo pipefail

config=${!#}
# shellcheck disable=SC2086
exec java ${SERVER_JVMFLAGS:-} -cp "$ZOOKEEPER_JARS/*" -Dlogback.configurationFile="$ZOOKEEPER_CONF/logback.xml" \
  -Dzookeeper.log.dir="$(dirname "$config")" -Dzookeeper.console.threshold=ERROR \
  org.apache.zookeeper.server.quorum.QuorumPeerMain "$config"
