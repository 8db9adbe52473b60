#!/usr/bin/env bash
# What a pod of the Helm chart runs: its server, and the hooks by which the ensemble grows and shrinks with the StatefulSet.
#   pod.sh start   gives entrypoint.sh the variables that follow from the pod's name, and becomes the server
#   pod.sh join    post-start hook: has the ensemble take this server in; goes on in the background until it has
#   pod.sh leave   pre-stop hook: if the StatefulSet wants fewer pods, has the ensemble remove this server first
#
# Pod NAME-N is server N+1. The first POD_FOUNDERS pods found the ensemble; a later one that is blank knows it is not among
# those who may.
set -uo pipefail

fail() {
  echo "Error: $*" >&2
  exit 1
}

HERE="$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[[ "${POD_NAME:-}" =~ ^.+-([0-9]{1,3})$ ]] || fail "POD_NAME=${POD_NAME:-}: give the name of a pod of a StatefulSet"
ORDINAL="${BASH_REMATCH[1]}"
ID=$((10#$ORDINAL + 1))
((ID <= 255)) || fail "POD_NAME=$POD_NAME would be server $ID; ids end at 255"
[[ "${POD_FOUNDERS:-}" =~ ^[1-9][0-9]?$ ]] || fail "POD_FOUNDERS=${POD_FOUNDERS:-}: give a number from 1 to 99"
for variable in POD_DOMAIN POD_CLIENTS POD_SUPER_FILE; do
  [[ -n "${!variable:-}" ]] || fail "$variable is not set; see container/pod.sh"
done
JOINING="${ZOO_CONF_DIR:-/conf}/join.pid"

# Prints the line of a server in the configuration. POD_CLIENT_ADDRESS is where servers listen for clients; "pod" stands for
# the address of each one's name. Without POD_CLIENT_PORT all clients use TLS, and its port is in zoo.cfg.
server_line() {
  local host="${POD_NAME%-*}-$(($1 - 1)).$POD_DOMAIN" address="${POD_CLIENT_ADDRESS:-0.0.0.0}" clients=""
  [[ "$address" != pod ]] || address="$host"
  [[ -z "${POD_CLIENT_PORT-2181}" ]] || clients=";$address:${POD_CLIENT_PORT-2181}"
  echo "server.$1=$host:${POD_LINK_PORT:-2888}:${POD_ELECTION_PORT:-3888}:participant$clients"
}

# Prints what the server is told of the super user: the password itself is not in its configuration.
super_digest() {
  local password hash
  password="$(head -n 1 "$POD_SUPER_FILE")" && [[ -n "$password" ]] ||
    fail "$POD_SUPER_FILE holds no password for the hooks"
  hash="$(printf 'super:%s' "$password" | sha1sum)"
  # shellcheck disable=SC2059  # the hash is the format: bytes in hexadecimal
  printf "$(sed 's/ .*//; s/../\\x&/g' <<<"$hash")" | base64
}

start() {
  local server digest
  digest="$(super_digest)" || exit 1
  ZOO_SERVERS=""
  for ((server = 1; server <= POD_FOUNDERS; server++)); do
    ZOO_SERVERS+="$(server_line "$server") "
  done
  ((ID <= POD_FOUNDERS)) || ZOO_SERVERS+="$(server_line "$ID")"
  ZOO_MY_ID="$ID"
  ZOO_CFG_EXTRA="reconfigEnabled=true DigestAuthenticationProvider.superDigest=super:$digest ${ZOO_CFG_EXTRA:-}"
  export ZOO_SERVERS ZOO_MY_ID ZOO_CFG_EXTRA
  exec "$HERE/entrypoint.sh" zkServer.sh start-foreground
}

# Tries once: membership join LINE | leave [--joining]
membership() {
  ZOOBINDIR="$(dirname "$(command -v zkServer.sh)")"
  ZK_CLIENT_HEAP="${POD_HOOK_HEAP:-48}"
  (
    # shellcheck source=bin/zkEnv.sh
    . "$ZOOBINDIR/zkEnv.sh"
    find_jars
    IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_CLIENT_FLAGS" || true
    exec "${JAVA_COMMAND[@]}" -Dlogback.configurationFile=logback-cli.xml -Dzookeeper.root.level=OFF \
      -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${flags[@]}" io.chainkeeper.main.PodMembership "$@"
  )
}

# Says why it is not done yet, when that has changed.
join_until_done() {
  local reason last=""
  echo "$BASHPID" >"$JOINING"
  until reason="$(membership join "$(server_line "$ID")" 2>&1)"; do
    [[ "$reason" == "$last" ]] || echo "Server $ID is not a member yet, trying again: $reason"
    last="$reason"
    sleep "${POD_TRY_SECONDS:-5}"
  done
  [[ -z "$reason" ]] || echo "$reason"
  rm -f "$JOINING"
}

join() {
  # founders are members from the beginning
  ((ID > POD_FOUNDERS)) || exit 0
  # the server's own output is the container's log
  if [[ -w /proc/1/fd/1 && "${POD_HOOK_LOG:-}" == "" ]]; then
    POD_HOOK_LOG=/proc/1/fd/1
  fi
  : >"$JOINING"
  set -m
  (join_until_done >>"${POD_HOOK_LOG:-/dev/null}" 2>&1 </dev/null) &
  # a leave that comes at once has to find whom it ends
  while [[ -f "$JOINING" && ! -s "$JOINING" ]] && kill -0 $! 2>/dev/null; do
    sleep 0.1
  done
}

# Ends a hook that still tries to make this server a member, with the process that does so, and says whether there was one.
stop_joining() {
  local pid
  [[ -f "$JOINING" ]] || return 1
  pid="$(<"$JOINING")"
  rm -f "$JOINING"
  [[ "$pid" =~ ^[0-9]+$ ]] && kill -9 -- "-$pid" 2>/dev/null
}

leave() {
  local deadline=$((SECONDS + ${POD_LEAVE_SECONDS:-60})) options=() reason
  stop_joining && options=(--joining)
  until reason="$(membership leave "${options[@]}" 2>&1)"; do
    ((SECONDS < deadline)) ||
      fail "server $ID could not be removed from the ensemble: $reason. If it is not to come back: zkCli.sh reconfig -remove $ID"
    sleep 1
  done
  [[ -z "$reason" ]] || echo "$reason"
}

case "${1:-}" in
  start | join | leave) "$1" ;;
  *) fail "pod.sh ${1:-}: give start, join or leave" ;;
esac
