#!/usr/bin/env bash
# Runs an ensemble of several servers on this machine, for trying things out. See --help.

usage() {
  cat <<'USAGE'
Usage: zkEnsemble.sh COMMAND [options]

  demo [--protocol P]   start three servers in a temporary directory, show with real clients what they promise, kill and
                        restart them, print a table, remove everything; exit code 1 if a step fails. With --protocol
                        disk: two servers and three disks, of which it deletes some too
  start N [--protocol P] [--disks D] [--dir DIR] [--base-port PORT]
                        start N servers; an ensemble that DIR already holds is started again with its data
  status [--dir DIR]    show each server's process, port and mode; exit code 1 unless all serve
  stop [--dir DIR]      stop all servers; their data stays
  kill ID [--dir DIR]   end server ID with SIGKILL
  restart ID [--dir DIR]
                        stop server ID if it runs, then start it

  --protocol P          chain (default), iss, disk, or zab: Apache ZooKeeper's own quorum server
  --disks D             with --protocol disk: how many disks the servers share, an odd number (default 3). They are the
                        files disk-1, disk-2, ... below DIR; to lose one, delete it, and give it back with zkDisk.sh
  --dir DIR             where data, configurations and logs are kept (default: data/ensemble below the current directory)
  --base-port PORT      clients connect to PORT, PORT+1, ... (default 2181); links between servers use PORT+100 and
                        PORT+200, ..., AdminServers PORT+300, ...; everything listens on 127.0.0.1 only

In a source tree the jars are built first if they are missing or older than the sources.
Variables of zkServer.sh such as ZK_SERVER_HEAP (here 512 by default) and SERVER_JVMFLAGS apply to each server.
USAGE
}

fail() {
  echo "Error: $*" >&2
  exit 1
}

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
export ZK_SERVER_HEAP="${ZK_SERVER_HEAP:-512}"
# several servers that start at once would all make one
export ZOO_CLASS_ARCHIVE_AUTO=false
# the variables of the installation's own server would point all of them to one file, or to that server
unset ZOOCFG ZOOCFGDIR ZOOPIDFILE ZOO_LOG_FILE ZOO_LOG_DIR ZOO_DATADIR_AUTOCREATE_DISABLE ZOO_NOEXEC
unset JMXPORT JMXHOSTNAME NOTIFY_SOCKET
# shellcheck disable=SC2034  # of zkEnv.sh: so would those of its files in the configuration directory
ZOO_OTHER_SERVERS=true
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"
unset ZOO_OTHER_SERVERS

COMMAND="${1:-}"
shift
DIR="data/ensemble"
PROTOCOL=""
BASE_PORT=""
DISKS=""
ARGUMENTS=()
while (($# > 0)); do
  case "$1" in
    --dir | --protocol | --base-port | --disks)
      [[ -n "${2:-}" ]] || fail "$1 needs a value; see zkEnsemble.sh --help"
      case "$1" in
        --dir) DIR="$2" ;;
        --protocol) PROTOCOL="$2" ;;
        --base-port) BASE_PORT="$2" ;;
        --disks) DISKS="$2" ;;
      esac
      shift 2
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*)
      fail "unknown option $1; see zkEnsemble.sh --help"
      ;;
    *)
      ARGUMENTS+=("$1")
      shift
      ;;
  esac
done
if [[ -n "$BASE_PORT" ]] && ! { [[ "$BASE_PORT" =~ ^[0-9]{1,5}$ ]] && ((BASE_PORT >= 1 && BASE_PORT <= 65135)); }; then
  fail "--base-port $BASE_PORT: give a number from 1 to 65135"
fi
if [[ -n "$DISKS" ]] && ! { [[ "$DISKS" =~ ^[0-9]{1,2}$ ]] && ((10#$DISKS % 2 == 1)); }; then
  fail "--disks $DISKS: give an odd number from 1 to 99; a majority of an even number is no better than of one less"
fi
SETTINGS="$DIR/ensemble.settings"
OLD_PROTOCOL=""
OLD_DISKS=""

build_if_needed() {
  local lib="$ZOO_LIB_DIR" newer
  # zkClassArchive.sh, as part of the build, starts servers from the jars that have just been made.
  [[ "${ZOO_JARS_ARE_NEW:-}" != true ]] || return 0
  [[ -f "$ZOOKEEPER_PREFIX/zookeeper-assembly/pom.xml" ]] || return 0
  if has_jars; then
    newer="$(find "$ZOOKEEPER_PREFIX"/pom.xml "$ZOOKEEPER_PREFIX"/zookeeper-*/pom.xml \
      "$ZOOKEEPER_PREFIX"/zookeeper-server-*/src/main -type f -newer "$lib" 2>/dev/null | head -n 1)"
    [[ -n "$newer" ]] || return 0
  fi
  command -v mvn >/dev/null || fail "mvn not found; install Maven to build the jars in $lib"
  echo "Building the jars in $lib ..." >&2
  (cd "$ZOOKEEPER_PREFIX" && mvn -q -B -pl zookeeper-assembly -am -DskipTests package) >&2 ||
    fail "the build failed; its messages are above"
}

# Sets PORTS: all ports of an ensemble of $1 servers.
list_ports() {
  local id
  PORTS=()
  for ((id = 1; id <= $1; id++)); do
    PORTS+=("$(client_port "$id")" "$(link_port "$id")" "$(election_port "$id")" "$(admin_port "$id")")
  done
}

client_port() { echo $((BASE_PORT + $1 - 1)); }
link_port() { echo $((BASE_PORT + 100 + $1 - 1)); }
election_port() { echo $((BASE_PORT + 200 + $1 - 1)); }
admin_port() { echo $((BASE_PORT + 300 + $1 - 1)); }

# Prints the first port of PORTS that somebody listens on.
first_taken_port() {
  local port
  for port in "${PORTS[@]}"; do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
}

# Writes zoo.cfg and myid of each of $1 servers below DIR. $2: length of a tick in milliseconds.
write_configurations() {
  local id other home
  for ((id = 1; id <= $1; id++)); do
    home="$DIR/server-$id"
    mkdir -p "$home/data" "$home/logs" || fail "cannot create $home; give a --dir that $ZOO_USER may write"
    echo "$id" >"$home/data/myid"
    {
      echo "tickTime=$2"
      echo "initLimit=20"
      echo "syncLimit=10"
      echo "dataDir=$home/data"
      echo "clientPort=$(client_port "$id")"
      echo "clientPortAddress=127.0.0.1"
      echo "admin.serverAddress=127.0.0.1"
      echo "admin.serverPort=$(admin_port "$id")"
      echo "4lw.commands.whitelist=*"
      echo "standaloneEnabled=false"
      for ((other = 1; other <= $1; other++)); do
        echo "server.$other=127.0.0.1:$(link_port "$other"):$(election_port "$other")"
      done
      echo "ordering.protocol=$PROTOCOL"
      if [[ "$PROTOCOL" == disk ]]; then
        echo "disk.paths=$(disk_paths)"
        echo "disk.slots=$(($1 > 8 ? $1 : 8))"
        echo "disk.oneMachine=true"
      fi
    } >"$home/zoo.cfg" || fail "cannot write $home/zoo.cfg"
  done
}

# Refuses a directory that servers would read otherwise in zoo.cfg than this script does, before anything is in it. $2: what
# gives it
check_directory() {
  local LC_ALL=C
  if [[ "$1" == *[^[:print:]]* || "$1" == *\\* ]]; then
    fail "$1: give a $2 of plain ASCII without a backslash; in zoo.cfg the servers would read another path"
  fi
}

# Prints the files of the shared disks, with commas between them.
disk_paths() {
  local number separator=""
  for ((number = 1; number <= DISKS; number++)); do
    printf '%s%s' "$separator" "$DIR/disk-$number"
    separator=","
  done
}

# Sets DISKS and refuses what does not fit.
choose_disks() {
  if [[ "$PROTOCOL" != disk ]]; then
    [[ -z "$DISKS" ]] || fail "--disks $DISKS has no effect with --protocol $PROTOCOL; leave it out, or give --protocol disk"
    return 0
  fi
  ((SERVERS <= 64)) || fail "start $SERVERS: with --protocol disk give the number of servers, 1 to 64"
  DISKS=$((10#${DISKS:-${OLD_DISKS:-3}}))
  if [[ -n "$OLD_DISKS" ]] && ((DISKS != OLD_DISKS)); then
    fail "$DIR holds an ensemble with $OLD_DISKS disks; start it as such, or use another --dir"
  fi
}

# Makes the disks of an ensemble that has none yet.
make_disks() {
  local said
  [[ "$PROTOCOL" == disk && -z "$OLD_DISKS" ]] || return 0
  if ! said="$("$ZOOBINDIR/zkDisk.sh" --config "$DIR/server-1" format --yes 2>&1)"; then
    echo "$said" >&2
    fail "the disks $(disk_paths) cannot be made; the reason is above"
  fi
}

server_script() {
  local id="$1"
  shift
  ZOO_LOG_DIR="$DIR/server-$id/logs" \
    "$ZOOBINDIR/zkServer.sh" --config "$DIR/server-$id" "$@"
}

pid_of() {
  local file="$DIR/server-$1/data/zookeeper_server.pid" pid
  [[ -f "$file" ]] || return 0
  pid="$(head -n 1 "$file")"
  if is_server "$pid" "$DIR/server-$1/zoo.cfg"; then
    echo "$pid"
  fi
}

mode_of() {
  four_letter_word 127.0.0.1 "$(client_port "$1")" srvr | sed -n 's/^Mode: //p'
}

# Sets DIR to an absolute path and SERVERS, BASE_PORT, OLD_PROTOCOL, OLD_DISKS from an existing ensemble.
load_ensemble() {
  [[ -f "$SETTINGS" ]] || fail "$DIR holds no ensemble; start one, or give its directory with --dir"
  DIR="$(cd "$DIR" && pwd)"
  SETTINGS="$DIR/ensemble.settings"
  SERVERS="$(config_value "$SETTINGS" servers)"
  BASE_PORT="$(config_value "$SETTINGS" basePort)"
  OLD_PROTOCOL="$(config_value "$SETTINGS" protocol)"
  OLD_DISKS="$(config_value "$SETTINGS" disks)"
  [[ "$SERVERS" =~ ^[0-9]+$ && "$BASE_PORT" =~ ^[0-9]+$ ]] || fail "$SETTINGS is damaged; remove $DIR or use another --dir"
}

check_server_id() {
  if ! [[ "${1:-}" =~ ^[0-9]{1,2}$ ]] || ((10#$1 < 1 || 10#$1 > SERVERS)); then
    fail "give the id of a server: 1 to $SERVERS"
  fi
  ARGUMENTS[0]=$((10#$1))
}

show_status() {
  local id mode pid all=0
  printf '%-8s%-18s%-10s%s\n' server clients process mode
  for ((id = 1; id <= SERVERS; id++)); do
    pid="$(pid_of "$id")"
    mode=""
    [[ -z "$pid" ]] || mode="$(mode_of "$id")"
    [[ -n "$mode" ]] || all=1
    printf '%-8s%-18s%-10s%s\n' "$id" "127.0.0.1:$(client_port "$id")" "${pid:--}" \
      "${mode:-$([[ -n "$pid" ]] && echo "not serving" || echo "not running")}"
  done
  return "$all"
}

# Fails unless each of the servers reports a mode in time.
wait_until_serving() {
  local id deadline=$((SECONDS + 120))
  for ((id = 1; id <= SERVERS; id++)); do
    while true; do
      # before the port is asked: somebody else may have it
      [[ -n "$(pid_of "$id")" ]] || fail "server $id has ended; the reason is in $DIR/server-$id/logs"
      [[ -z "$(mode_of "$id")" ]] || break
      ((SECONDS < deadline)) || fail "server $id does not serve after 120 s; look into $DIR/server-$id/logs"
      sleep 0.1
    done
  done
}

prepare_ensemble() {
  local count="$1" port given_port="$BASE_PORT" id
  if ! [[ "$count" =~ ^[0-9]{1,2}$ ]] || ((10#$count < 1)); then
    fail "start $count: give the number of servers, 1 to 99"
  fi
  SERVERS=$((10#$count))
  if [[ -f "$SETTINGS" ]]; then
    load_ensemble
    for ((id = 1; id <= SERVERS; id++)); do
      [[ -z "$(pid_of "$id")" ]] ||
        fail "the ensemble in $DIR is running; stop it with: zkEnsemble.sh stop --dir $DIR"
    done
    if ((SERVERS != 10#$count)) || [[ "${given_port:-$BASE_PORT}" != "$BASE_PORT" ]]; then
      fail "$DIR holds an ensemble of $SERVERS servers at port $BASE_PORT; start it as such, or use another --dir"
    fi
    PROTOCOL="${PROTOCOL:-$OLD_PROTOCOL}"
  elif [[ -e "$DIR" && -n "$(ls -A "$DIR" 2>/dev/null)" ]]; then
    fail "$DIR is not empty and holds no ensemble; use another --dir"
  fi
  BASE_PORT="${BASE_PORT:-2181}"
  PROTOCOL="${PROTOCOL:-chain}"
  choose_disks
  list_ports "$SERVERS"
  port="$(first_taken_port)"
  [[ -z "$port" ]] || fail "port $port is taken; stop the process that uses it, or give another --base-port"
  case "$DIR" in
    /*) check_directory "$DIR" --dir ;;
    *) check_directory "$PWD/$DIR" --dir ;;
  esac
  mkdir -p "$DIR" || fail "cannot create $DIR; give a --dir that $ZOO_USER may write"
  DIR="$(cd "$DIR" && pwd)"
  SETTINGS="$DIR/ensemble.settings"
  write_configurations "$SERVERS" 2000
  make_disks
  # a protocol that does not start must not become the ensemble's
  write_settings "${OLD_PROTOCOL:-$PROTOCOL}"
}

write_settings() {
  {
    printf '%s\n' "servers=$SERVERS" "basePort=$BASE_PORT" "protocol=$1"
    [[ -z "${OLD_DISKS:-$DISKS}" ]] || echo "disks=${OLD_DISKS:-$DISKS}"
  } >"$SETTINGS"
}

# Starts all servers at once: none serves before a majority runs.
start_servers() {
  local id starters=() failed=false
  for ((id = 1; id <= SERVERS; id++)); do
    server_script "$id" start >"$DIR/server-$id/logs/start.txt" 2>&1 &
    starters+=("$!")
  done
  for ((id = 1; id <= SERVERS; id++)); do
    if ! wait "${starters[id - 1]}"; then
      echo "Server $id:" >&2
      cat "$DIR/server-$id/logs/start.txt" >&2
      failed=true
    fi
  done
  if [[ "$failed" == true ]]; then
    stop_servers >&2
    exit 1
  fi
}

stop_servers() {
  local id failed=0
  for ((id = 1; id <= SERVERS; id++)); do
    printf 'Server %d: ' "$id"
    server_script "$id" stop 2>/dev/null || failed=1
  done
  return "$failed"
}

connect_string() {
  local id separator=""
  for ((id = 1; id <= SERVERS; id++)); do
    printf '%s127.0.0.1:%d' "$separator" "$(client_port "$id")"
    separator=","
  done
}

# Sets BASE_PORT to one from which on all ports are free, below those that the system gives to outgoing connections.
choose_base_port() {
  local attempt
  for ((attempt = 0; attempt < 50; attempt++)); do
    BASE_PORT=$((20000 + RANDOM % 10000))
    list_ports "$SERVERS"
    [[ -n "$(first_taken_port)" ]] || return 0
  done
  fail "no free ports found between 20000 and 30400; stop some processes"
}

# Ends what the demo has started and removes its directory, however it ends.
clean_up_demo() {
  local id pid
  trap '' INT TERM
  if [[ -n "${DEMO_PID:-}" ]]; then
    kill "$DEMO_PID" 2>/dev/null
    wait "$DEMO_PID" 2>/dev/null
  fi
  # only if the program could not do it itself
  for ((id = 1; id <= SERVERS; id++)); do
    pid="$(pid_of "$id")"
    [[ -z "$pid" ]] || kill -9 "$pid"
  done
  rm -rf "$DIR"
}

run_demo() {
  local flags disks=()
  SERVERS=3
  PROTOCOL="${PROTOCOL:-chain}"
  [[ -z "$DISKS" ]] || fail "demo takes no --disks; see zkEnsemble.sh --help"
  if [[ "$PROTOCOL" == disk ]]; then
    SERVERS=2
    choose_disks
  fi
  build_if_needed
  find_jars
  check_directory "${TMPDIR:-/tmp}" TMPDIR
  DIR="$(mktemp -d "${TMPDIR:-/tmp}/zkEnsemble.XXXXXX")" || fail "cannot create a temporary directory; set TMPDIR"
  trap clean_up_demo EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  [[ -n "$BASE_PORT" ]] || choose_base_port
  # short ticks allow short sessions
  write_configurations "$SERVERS" 500
  make_disks
  [[ "$PROTOCOL" != disk ]] || disks=("$(disk_paths)")
  IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_CLIENT_FLAGS" || true
  # in the background, so that a signal to this script is handled at once; with the compiler that leaves most of the
  # processor time to the servers
  "${JAVA_COMMAND[@]}" "$(log_flag logback-cli.xml)" \
    -Dzookeeper.root.level=OFF -XX:TieredStopAtLevel=1 "${flags[@]}" io.chainkeeper.main.EnsembleDemo \
    "$PROTOCOL" "$DIR" "$ZOOBINDIR" "$(connect_string)" "${disks[@]}" </dev/null &
  DEMO_PID=$!
  wait "$DEMO_PID"
}

case "$COMMAND" in
  demo)
    ((${#ARGUMENTS[@]} == 0)) || fail "demo takes no ${ARGUMENTS[0]}; see zkEnsemble.sh --help"
    run_demo
    ;;
  start)
    ((${#ARGUMENTS[@]} == 1)) || fail "start needs the number of servers; see zkEnsemble.sh --help"
    build_if_needed
    find_jars
    prepare_ensemble "${ARGUMENTS[0]}"
    start_servers
    write_settings "$PROTOCOL"
    wait_until_serving
    show_status
    echo "Data: $DIR   Connect: $ZOOBINDIR/zkCli.sh -server $(connect_string)"
    ;;
  status)
    load_ensemble
    show_status
    ;;
  stop)
    load_ensemble
    stop_servers
    ;;
  kill)
    load_ensemble
    check_server_id "${ARGUMENTS[0]:-}"
    pid="$(pid_of "${ARGUMENTS[0]}")"
    [[ -n "$pid" ]] || fail "server ${ARGUMENTS[0]} does not run"
    kill -9 "$pid" 2>/dev/null || fail "server ${ARGUMENTS[0]}, process $pid, is another user's; run this as that user, or as root"
    rm -f "$DIR/server-${ARGUMENTS[0]}/data/zookeeper_server.pid"
    echo "Killed server ${ARGUMENTS[0]} (process $pid)"
    ;;
  restart)
    load_ensemble
    check_server_id "${ARGUMENTS[0]:-}"
    server_script "${ARGUMENTS[0]}" restart
    ;;
  -h | --help | help)
    usage
    ;;
  *)
    usage >&2
    exit 1
    ;;
esac
