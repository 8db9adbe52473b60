#!/usr/bin/env bash
# Runs an application or a client library, as its registry has it, against three servers that are killed in turn.
# See --help, and docs/works-with.md for what has been run.
set -euo pipefail

usage() {
  cat <<'USAGE'
Usage: clients/run.sh NAME [--protocol chain|iss|disk] [--turns N]

Fetches NAME from its registry into target/clients, starts three Chainkeeper servers on this machine, lets NAME do real
work with them, and meanwhile kills each of the three with SIGKILL and starts it again, N times in turn (default 1).
Says what was done. Exit code: 0 it worked, 1 it did not, 2 wrong call, 3 something is missing here.

NAME                    what it is                            needs beside a JDK
  kazoo                 Python client                         python3 with pip
  go-zookeeper          Go client                             go
  node-zookeeper-client JavaScript client                     node, npm
  c                     ZooKeeper's C client, from Debian     cc, apt-get, dpkg-deb
  curator               Java recipes                          mvn
  kafka                 Kafka in ZooKeeper mode               mvn
  bookkeeper            BookKeeper                            mvn
  hbase                 HBase                                 mvn
  solr                  SolrCloud                             mvn

Build first: mvn -DskipTests package. Everything listens on 127.0.0.1 and is gone afterwards but for the logs.
USAGE
}

fail() {
  echo "Error: $*" >&2
  exit 1
}

HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ROOT="$(cd "$HERE/.." && pwd)"
ENSEMBLE="$ROOT/bin/zkEnsemble.sh"
WORK_LIMIT_SECONDS=1200
export ZK_SERVER_HEAP="${ZK_SERVER_HEAP:-256}"
# they have been built; a build while servers run would take the jars from under them
export ZOO_JARS_ARE_NEW=true

NAME="${1:-}"
PROTOCOL=chain
TURNS=1
[[ $# -eq 0 ]] || shift
while (($# > 0)); do
  case "$1" in
    --protocol) PROTOCOL="${2:-}" ;;
    --turns) TURNS="${2:-}" ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift 2 || { usage >&2 && exit 2; }
done
case "$NAME" in
  kazoo | go-zookeeper | node-zookeeper-client | c | curator | kafka | bookkeeper | hbase | solr) ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
[[ "$PROTOCOL" =~ ^(chain|iss|disk|zab)$ && "$TURNS" =~ ^[1-9][0-9]?$ ]] || {
  usage >&2
  exit 2
}
# what is fetched stays there
CACHE="$ROOT/target/clients/$NAME"
RUN="$ROOT/target/clients/run-$NAME"
PIDS=()

need() {
  command -v "$1" >/dev/null || {
    echo "Missing: $1 is not on the PATH; $NAME needs it" >&2
    exit 3
  }
}

# The jars of an application and of what it needs, from Maven.
fetch_jars() {
  need mvn
  [[ -f "$CACHE/complete" && "$CACHE/complete" -nt "$HERE/$NAME/pom.xml" ]] || {
    rm -rf "$CACHE/lib"
    mvn -q -B -f "$HERE/$NAME/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$CACHE/lib" \
      -DincludeScope=runtime
    touch "$CACHE/complete"
  }
  VERSION="$(sed -n 's/.*<application.version>\(.*\)<.*/\1/p' "$HERE/$NAME/pom.xml")"
}

# Starts a process that belongs to the application: start_process LOG COMMAND...
start_process() {
  local log="$RUN/$1"
  shift
  "$@" >"$log" 2>&1 </dev/null &
  PIDS+=("$!")
  echo "started: $log"
}

# The application's own servers are not killed, and must not end.
all_live() {
  local pid
  for pid in "${PIDS[@]}"; do
    kill -0 "$pid" 2>/dev/null || fail "a process of $NAME has ended; its log is in $RUN"
  done
}

# Compiles and runs NAME/Work.java with the application's jars.
java_work() {
  java -Xmx256m -XX:TieredStopAtLevel=1 -cp "$RUN/conf:$CACHE/lib/*" "$@" "$HERE/$NAME/Work.java" \
    "$CONNECT" "$RUN/turned" "$RUN"
}

java_server() {
  local log="$1" heap="$2"
  shift 2
  start_process "$log" java "-Xmx${heap}m" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$RUN/conf:$CACHE/lib/*" "$@"
}

# Prints a free port below those of outgoing connections.
free_port() {
  local port
  while true; do
    port=$((10000 + RANDOM % 10000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# Ends a process and those that it has started; what bash says about it is of no interest.
end() {
  local child
  for child in $(pgrep -P "$1"); do
    end "$child"
  done
  kill -9 "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

clean_up() {
  local code=$? id pid
  trap - EXIT
  for pid in ${TURNING:-} "${PIDS[@]}"; do
    end "$pid"
  done
  for id in 1 2 3; do
    "$ENSEMBLE" kill "$id" --dir "$RUN/ensemble" >/dev/null 2>&1 || true
  done
  exit "$code"
}

# Kills each server and starts it again, when the work has begun; then notes that it has done so.
turn() {
  local turn id
  until [[ -f "$RUN/working" ]]; do sleep 0.2; done
  for ((turn = 1; turn <= TURNS; turn++)); do
    for id in 1 2 3; do
      sleep 4
      "$ENSEMBLE" kill "$id" --dir "$RUN/ensemble"
      sleep 3
      "$ENSEMBLE" restart "$id" --dir "$RUN/ensemble"
      until "$ENSEMBLE" status --dir "$RUN/ensemble" >/dev/null; do sleep 0.5; done
    done
  done
  sleep 2
  echo "$((3 * TURNS))" >"$RUN/turned"
}

# shellcheck source=clients/applications.sh
. "$HERE/applications.sh"

ls "$ROOT"/zookeeper-assembly/target/lib/*.jar >/dev/null 2>&1 || fail "no jars: run mvn -DskipTests package"
mkdir -p "$CACHE"
rm -rf "$RUN"
mkdir -p "$RUN/conf"
printf '%s\n' log4j.rootLogger=INFO,err log4j.appender.err=org.apache.log4j.ConsoleAppender \
  log4j.appender.err.target=System.err log4j.appender.err.layout=org.apache.log4j.PatternLayout \
  'log4j.appender.err.layout.ConversionPattern=%d %p %c{1} %m%n' \
  >"$RUN/conf/log4j.properties"
FUNCTION="${NAME//-/_}"
"fetch_$FUNCTION"
trap clean_up EXIT
trap 'exit 130' INT TERM
for _ in 1 2 3 4 5; do
  BASE=$((20000 + RANDOM % 10000))
  "$ENSEMBLE" start 3 --dir "$RUN/ensemble" --base-port "$BASE" --protocol "$PROTOCOL" \
    >"$RUN/ensemble.txt" 2>&1 && break
  rm -rf "$RUN/ensemble"
done
[[ -d "$RUN/ensemble" ]] || fail "the servers did not start: $(cat "$RUN/ensemble.txt")"
CONNECT="127.0.0.1:$BASE,127.0.0.1:$((BASE + 1)),127.0.0.1:$((BASE + 2))"
echo "$NAME $VERSION with three servers of Chainkeeper, ordering.protocol=$PROTOCOL: $CONNECT"
"start_$FUNCTION"
# a program whose servers have to start says itself when it has done its first round
((${#PIDS[@]} > 0)) || touch "$RUN/working"
turn >"$RUN/turns.txt" 2>&1 &
TURNING=$!
RESULT=0
# in the background, so that a signal is handled at once
"work_$FUNCTION" >"$RUN/work.txt" 2>"$RUN/work.err" &
WORKING=$!
PIDS+=("$WORKING")
DEADLINE=$((SECONDS + WORK_LIMIT_SECONDS))
while kill -0 "$WORKING" 2>/dev/null; do
  ((SECONDS < DEADLINE)) || fail "the work has not ended after $WORK_LIMIT_SECONDS s; see $RUN/work.err"
  sleep 0.5
done
wait "$WORKING" || RESULT=$?
unset 'PIDS[-1]'
# a library may print its log before what was done
tail -n 1 "$RUN/work.txt"
if ((RESULT != 0)); then
  tail -n 20 "$RUN/work.err" >&2
  fail "$NAME $VERSION failed; logs are in $RUN"
fi
[[ -f "$RUN/turned" ]] || fail "the work ended before all servers had been killed; see $RUN/turns.txt"
all_live
echo "$NAME $VERSION works; servers were killed with SIGKILL $(<"$RUN/turned") times meanwhile, the three in turn"
