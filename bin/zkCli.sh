#!/usr/bin/env bash
# ZooKeeper's command line client: zkCli.sh [-server host:port[,host:port...]] [command ...]

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
find_jars

IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_CLIENT_FLAGS" || true
exec "${JAVA_COMMAND[@]}" "$(log_flag logback-cli.xml)" "${flags[@]}" \
  org.apache.zookeeper.ZooKeeperMain "$@"
