#!/usr/bin/env bash
# Starts, stops and asks one server. Arguments, variables, messages and exit codes are those of ZooKeeper's zkServer.sh.

MAIN_CLASS="io.chainkeeper.main.ChainkeeperMain"

usage() {
  echo "Usage: $0 [--config <conf-dir>] {start|start-foreground|stop|version|restart|status|print-cmd}"
  cat <<'USAGE'

zkServer.sh [--config CONF_DIR] COMMAND [ZOO_CFG]

  start              start in the background; returns when it serves clients or waits for other servers, and says
                     FAILED TO START and why if it ends instead
  start-foreground   start in this terminal
  stop               stop and wait until the process has ended; a leader has another server lead first
  drain [--seconds N]
                     stop only if the others can go on: another server leads, clients go to others, then the process
                     ends. Up to N seconds (10) until another one leads
  restart            stop, then start
  status             ask the server for its mode; exit code 1 if it does not answer
  version            print the version
  print-cmd          print the command that start-foreground would run
  replace ID --with HOST:PORT:PORT[:ROLE][;[HOST:]CLIENTPORT] [--auth-file FILE] [--connect HOST:PORT[,...]]
                     give the place of a server that is lost to one at another address (docs/operations.md). Asks the
                     server of ZOO_CFG, or another one; checks first; does it only with --yes. FILE holds a line such as
                     "digest super:secret", whose user may reconfig
  force-new-cluster  when a majority of the servers is lost for good: let this one, stopped, go on alone with its data.
                     Says what may be lost; does it only with --yes
  position           say which transaction the files of the stopped server reach (docs/moving.md)
  move-in --without ID[,ID...]
                     let data of Apache ZooKeeper be moved in although those servers are missing. Says what may be lost;
                     does it only with --yes
  switch-protocol NAME
                     give the data of this server, stopped, to another ordering.protocol (docs/moving.md). Says what
                     happens; does it only with --yes
  feature-level [LEVEL]
                     show which feature level is in force; with LEVEL, have this server, which runs, raise it
                     (docs/upgrading.md)

  trace [--session ID [--watch]] [--limit N] [--connect HOST:ADMINPORT[/COMMANDS][,...]]
                     ask the AdminServers of all servers for the requests that they have traced, and print when each
                     server has seen them (docs/operations.md). --watch has all further requests of the session traced

ZOO_CFG is a path, or a name in CONF_DIR (default: zoo.cfg in conf/ beside bin/).

Variables: ZOOCFGDIR ZOOCFG ZOO_LOG_DIR ZOO_LOG_FILE ZOO_LOG_FORMAT (text or json) ZOOPIDFILE JVMFLAGS SERVER_JVMFLAGS CLIENT_JVMFLAGS ZK_SERVER_HEAP
(MB; else ZK_SERVER_HEAP_PERCENT of the memory, default 25) ZK_CLIENT_HEAP (MB) ZOOLIBDIR JAVA_HOME CLASSPATH JMXDISABLE
JMXPORT JMXAUTH JMXSSL JMXLOG4J JMXHOSTNAME JMXLOCALONLY ZOO_DATADIR_AUTOCREATE_DISABLE ZOO_NOEXEC ZOO_START_TIMEOUT
ZOO_STOP_TIMEOUT (seconds, default 60) ZOO_CLASS_ARCHIVE ZOO_CLASS_ARCHIVE_AUTO (false: a start makes none)
USAGE
}

ENV_OPTIONS=()
while [[ "${1:-}" == -* ]]; do
  case "$1" in
    --config)
      ENV_OPTIONS=(--config "${2:-}")
      shift 2 || shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 1
      ;;
  esac
done

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
COMMAND="${1:-}"
shift || true
# shellcheck source=bin/zkServerCommands.sh
. "$ZOOBINDIR/zkServerCommands.sh"
read_command_options "$@"
set --
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh" "${ENV_OPTIONS[@]}"

ZOO_LOG_FILE="${ZOO_LOG_FILE:-zookeeper-$ZOO_USER-server-$HOSTNAME.log}"
LOG_FLAGS=""
if [[ "$COMMAND" =~ ^(start|start-foreground|restart|print-cmd)$ ]]; then
  case "${ZOO_LOG_FORMAT:-text}" in
    text)
      LOG_FLAGS="$(log_flag logback.xml)"
      # the JVM's class path has it
      [[ "$LOG_FLAGS" == */* ]] || LOG_FLAGS=""
      ;;
    json) LOG_FLAGS="$(log_flag logback-json.xml)" ;;
    *)
      echo "Error: ZOO_LOG_FORMAT=$ZOO_LOG_FORMAT: give text or json" >&2
      exit 1
      ;;
  esac
fi
DAEMON_OUT="$ZOO_LOG_DIR/zookeeper-$ZOO_USER-server-$HOSTNAME.out"
DAEMON_ERR="${DAEMON_OUT%.out}.err"

jmx_flags() {
  if [[ -n "${JMXDISABLE:-}" && "$JMXDISABLE" != false ]]; then
    echo "JMX disabled by user request" >&2
    return
  fi
  echo "ZooKeeper JMX enabled by default" >&2
  # Whoever attaches to the process (jconsole, jcmd PID ManagementAgent.start_local) starts the JVM's agent. Started with
  # every server it takes a tenth of the processor time until the server serves.
  if [[ -z "${JMXPORT:-}${JMXLOCALONLY:-}" ]]; then
    return
  fi
  if [[ -z "${JMXPORT:-}" ]]; then
    echo "-Dcom.sun.management.jmxremote -Dcom.sun.management.jmxremote.local.only=$JMXLOCALONLY"
    return
  fi
  echo "ZooKeeper remote JMX Port set to $JMXPORT" >&2
  echo "ZooKeeper remote JMX authenticate set to ${JMXAUTH:-false}" >&2
  echo "ZooKeeper remote JMX ssl set to ${JMXSSL:-false}" >&2
  echo "ZooKeeper remote JMX log4j set to ${JMXLOG4J:-true}" >&2
  [[ -z "${JMXHOSTNAME:-}" ]] || echo "ZooKeeper remote JMX Hostname set to $JMXHOSTNAME" >&2
  echo "-Dcom.sun.management.jmxremote -Dcom.sun.management.jmxremote.port=$JMXPORT" \
    "-Dcom.sun.management.jmxremote.authenticate=${JMXAUTH:-false}" \
    "-Dcom.sun.management.jmxremote.ssl=${JMXSSL:-false}" \
    "-Dzookeeper.jmx.log4j.disable=${JMXLOG4J:-true}" \
    "${JMXHOSTNAME:+-Djava.rmi.server.hostname=$JMXHOSTNAME}"
}

# Sets SERVER_COMMAND. Arguments: extra JVM flags, which the user's own can override.
build_server_command() {
  local flags config="$ZOOCFG"
  [[ "$config" == /* ]] || config="$PWD/$config"
  IFS=$' \t\n' read -r -d '' -a flags <<<"$* $JMX_FLAGS $LOG_FLAGS $ZOO_SERVER_FLAGS" || true
  SERVER_COMMAND=("${JAVA_COMMAND[@]}")
  if [[ -n "$CLASS_LIST" ]]; then
    SERVER_COMMAND+=("-XX:DumpLoadedClassList=$CLASS_LIST")
  fi
  if [[ -n "${ZOO_DATADIR_AUTOCREATE_DISABLE:-}" ]]; then
    SERVER_COMMAND+=(-Dzookeeper.datadir.autocreate=false)
  fi
  SERVER_COMMAND+=(
    "-Dzookeeper.log.dir=$ZOO_LOG_DIR"
    "-Dzookeeper.log.file=$ZOO_LOG_FILE"
    -XX:+HeapDumpOnOutOfMemoryError
    # not in the working directory, which may be that of the data: a dump is as large as the heap
    "-XX:HeapDumpPath=$ZOO_LOG_DIR"
    "-XX:OnOutOfMemoryError=kill -9 %p"
    # in a container the server is process 1, which the kernel lets nobody inside kill
    -XX:+ExitOnOutOfMemoryError
    "${flags[@]}"
    "$MAIN_CLASS"
    # by which the process is known, from any directory
    "$config"
  )
}

# Sets CLIENT_HOST, CLIENT_PORT and CLIENT_SSL from the configuration; CLIENT_PORT stays empty if there is none.
find_client_address() {
  local id server_file address
  CLIENT_SSL=false
  CLIENT_HOST="$(config_value "$ZOOCFG" clientPortAddress)"
  CLIENT_PORT="$(config_value "$ZOOCFG" clientPort)"
  if [[ -z "$CLIENT_PORT" ]]; then
    server_file="$(config_value "$ZOOCFG" dynamicConfigFile)"
    id="$(head -n 1 "$DATA_DIR/myid" 2>/dev/null)"
    address="$(config_value "${server_file:-$ZOOCFG}" "server.$id")"
    if [[ "$address" == *";"* ]]; then
      address="${address##*;}"
      CLIENT_PORT="${address##*:}"
      [[ "$address" != *:* ]] || CLIENT_HOST="${address%:*}"
    fi
  fi
  if [[ -z "$CLIENT_PORT" ]]; then
    CLIENT_HOST="$(config_value "$ZOOCFG" secureClientPortAddress)"
    CLIENT_PORT="$(config_value "$ZOOCFG" secureClientPort)"
    CLIENT_SSL=true
  fi
  CLIENT_HOST="${CLIENT_HOST#[}"
  CLIENT_HOST="${CLIENT_HOST%]}"
  case "$CLIENT_HOST" in
    "" | 0.0.0.0 | :: | "*") CLIENT_HOST=localhost ;;
  esac
}

# Whether the server's connection threads work; of a TLS port only that somebody listens.
client_port_answers() {
  local answer word=srvr
  [[ -n "$CLIENT_PORT" ]] || return 1
  if [[ "$CLIENT_SSL" == true ]]; then
    (exec 3<>"/dev/tcp/$CLIENT_HOST/$CLIENT_PORT") 2>/dev/null
    return
  fi
  answer="$(four_letter_word "$CLIENT_HOST" "$CLIENT_PORT" "$word")" && [[ -n "$answer" ]]
}

# Sets CLASS_LIST if this start is to note the classes that it loads, for an archive that later starts use: in a
# distribution, where one can be written and none is there that fits the JVM and the jars.
CLASS_LIST=""
note_classes() {
  [[ "${ZOO_CLASS_ARCHIVE_AUTO:-}" != false && ! -f "$ZOOKEEPER_PREFIX/zookeeper-assembly/pom.xml" ]] || return 0
  [[ -w "$(dirname "$ZOO_CLASS_ARCHIVE")" ]] || return 0
  [[ "$ARCHIVE_FITS" == false ]] || return 0
  # of a start that was killed
  rm -f "$ZOO_CLASS_ARCHIVE".*.classes
  CLASS_LIST="$ZOO_CLASS_ARCHIVE.$$.classes"
}

# Makes the archive beside the server, as nobody's child.
make_class_archive() {
  if [[ -n "$CLASS_LIST" ]]; then
    (nohup "$ZOOBINDIR/zkClassArchive.sh" --of "$CLASS_LIST" >/dev/null 2>&1 </dev/null &)
  fi
}

# Sets word to what the server says of its start. It deletes a report that it cannot write: its port says it then.
# No command is substituted: where a signal comes in between, bash may forget it.
read_report() {
  word=""
  { read -r word <"$1" || [[ -e "$1" ]] || word=stock; } 2>/dev/null
}

# Tells systemd when the server has started: tell_when_started PID REPORT
tell_when_started() {
  local word
  while kill -0 "$1" 2>/dev/null; do
    read_report "$2"
    if [[ "$word" == started ]] || { [[ "$word" == stock ]] && client_port_answers; }; then
      systemd-notify --ready
      break
    fi
    sleep 0.1
  done
  rm -f "$2"
}

# Becomes the server. What others wait for is done by processes that are not its children: it would never collect them.
start_in_foreground() {
  mkdir -p "$ZOO_LOG_DIR"
  note_classes
  # systemd's journal gets what is wrong; the rolling log file has everything
  build_server_command ${NOTIFY_SOCKET:+-Dzookeeper.console.threshold=WARN}
  if [[ -n "${NOTIFY_SOCKET:-}" ]]; then
    export CHAINKEEPER_START_REPORT="$ZOO_LOG_DIR/zookeeper_server.$$.start"
    : >"$CHAINKEEPER_START_REPORT" || exit 1
    (tell_when_started "$$" "$CHAINKEEPER_START_REPORT" </dev/null &)
  fi
  make_class_archive
  if [[ -n "${ZOO_NOEXEC:-}" ]]; then
    "${SERVER_COMMAND[@]}"
  else
    exec "${SERVER_COMMAND[@]}"
  fi
}

# Leaves no empty file where there is no room for the number: write_pid_file PID
write_pid_file() {
  (echo "$1" >"$ZOOPIDFILE") && return
  [[ ! -f "$ZOOPIDFILE" || -s "$ZOOPIDFILE" ]] || rm -f "$ZOOPIDFILE"
  return 1
}

# Of two starts at once the one that fails leaves the number of the other one: remove_pid_file_of PID
remove_pid_file_of() {
  [[ "$(server_pid)" != "$1" ]] || rm -f "$ZOOPIDFILE"
}

# Ends a start that a signal interrupts, and the server with it: interrupt_start PID EXIT_CODE
interrupt_start() {
  local deadline
  trap - INT TERM
  echo "INTERRUPTED"
  kill "$1" 2>/dev/null
  # until it has ended its directories are in use
  deadline=$((SECONDS + ${ZOO_STOP_TIMEOUT:-60}))
  while process_lives "$1"; do
    if ((SECONDS >= deadline)); then
      echo "process $1 has not ended within ${ZOO_STOP_TIMEOUT:-60} s; zkServer.sh stop ends it" >&2
      exit "$2"
    fi
    sleep 0.1
  done
  remove_pid_file_of "$1"
  exit "$2"
}

server_pid() {
  [[ -f "$ZOOPIDFILE" ]] && head -n 1 "$ZOOPIDFILE"
}

# Ends the script if java is too old. Sets ARCHIVE_FITS: whether it takes the class archive.
check_java() {
  local report version
  ARCHIVE_FITS=true
  if ! uses_class_archive || ! report="$("${JAVA_COMMAND[@]}" -Xshare:on -version 2>&1)"; then
    ARCHIVE_FITS=false
    report="$("$JAVA" -version 2>&1)"
  fi
  version="$(sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' <<<"$report" | head -n 1)"
  ! is_too_old "$version" || fail_for_java "$version"
}

fail_to_start() {
  echo "FAILED TO START"
  if [[ -s "$DAEMON_ERR" ]]; then
    cat "$DAEMON_ERR" >&2
  else
    echo "The reason is in $ZOO_LOG_DIR/$ZOO_LOG_FILE" >&2
  fi
  exit 1
}

start_server() {
  local pid busy=false deadline report word signalled=""
  printf 'Starting zookeeper ... '
  pid="$(server_pid)"
  if is_server "$pid" "$ZOOCFG"; then
    echo "already running as process $pid."
    exit 1
  fi
  if ! mkdir -p "$ZOO_LOG_DIR" || ! : >"$DAEMON_OUT" || ! : >"$DAEMON_ERR"; then
    echo "FAILED TO START"
    echo "ZOO_LOG_DIR=$ZOO_LOG_DIR cannot be written; give user $ZOO_USER access to it or set another ZOO_LOG_DIR" >&2
    exit 1
  fi
  # somebody else's answer on our port must not be taken for the new server's
  client_port_answers && busy=true
  note_classes
  # the rolling log file has everything; stdout grows without bound
  build_server_command -Dzookeeper.console.threshold=ERROR
  # a signal to this script must not come between the launch and the note of its process id
  trap 'signalled=130' INT
  trap 'signalled=143' TERM
  report="$ZOO_LOG_DIR/zookeeper_server.$$.start"
  : >"$report"
  # shellcheck disable=SC2064
  trap "rm -f $(printf '%q' "$report")" EXIT
  CHAINKEEPER_START_REPORT="$report" nohup "${SERVER_COMMAND[@]}" >"$DAEMON_OUT" 2>"$DAEMON_ERR" </dev/null &
  pid=$!
  trap 'interrupt_start "$pid" 130' INT
  trap 'interrupt_start "$pid" 143' TERM
  [[ -z "$signalled" ]] || interrupt_start "$pid" "$signalled"
  # another start may have been faster
  if ! is_server "$(server_pid)" "$ZOOCFG"; then
    # an absent directory is created by the server if its configuration is right
    write_pid_file "$pid" 2>/dev/null
  fi
  deadline=$((SECONDS + ${ZOO_START_TIMEOUT:-60}))
  while true; do
    if ! kill -0 "$pid" 2>/dev/null; then
      remove_pid_file_of "$pid"
      fail_to_start
    fi
    # the server says when it serves clients, or that nobody has refused it and it waits for others
    read_report "$report"
    if [[ "$word" == started ]] || { [[ "$word" == stock && "$busy" == false ]] && client_port_answers; }; then
      break
    fi
    # still recovering; as far as this script is concerned it has started
    ((SECONDS < deadline)) || break
    sleep 0.1
  done
  if ! write_pid_file "$pid"; then
    echo "FAILED TO WRITE PID"
    echo "ZOOPIDFILE=$ZOOPIDFILE cannot be written; the server runs as process $pid" >&2
    exit 1
  fi
  trap - INT TERM
  make_class_archive
  echo "STARTED"
}

stop_server() {
  local pid deadline
  printf 'Stopping zookeeper ... '
  pid="$(server_pid)"
  if [[ -z "$pid" ]]; then
    echo "no zookeeper to stop (could not find file $ZOOPIDFILE)"
    return
  fi
  if is_server "$pid" "$ZOOCFG"; then
    if ! kill "$pid" 2>/dev/null && process_exists "$pid"; then
      echo "NOT STOPPED"
      echo "process $pid is another user's; run this as that user, or as root" >&2
      exit 1
    fi
    deadline=$((SECONDS + ${ZOO_STOP_TIMEOUT:-60}))
    while process_lives "$pid"; do
      if ((SECONDS >= deadline)); then
        echo "NOT STOPPED"
        echo "process $pid has not ended within ${ZOO_STOP_TIMEOUT:-60} s; look into $ZOO_LOG_DIR, or: kill -9 $pid" >&2
        exit 1
      fi
      sleep 0.1
    done
  elif is_any_server "$pid"; then
    echo "process $pid, which $ZOOPIDFILE names, is the server of $SERVED and goes on" >&2
  fi
  rm -f "$ZOOPIDFILE"
  echo "STOPPED"
}

show_version() {
  local jar
  find_jars
  for jar in "$ZOO_LIB_DIR"/zookeeper-server-core-*.jar; do
    jar="${jar##*/zookeeper-server-core-}"
    echo "Chainkeeper, version ${jar%.jar}"
  done
  "${JAVA_COMMAND[@]}" "$(log_flag logback-cli.xml)" org.apache.zookeeper.version.VersionInfoMain
}

case "$COMMAND" in
  start | start-foreground | stop | restart | status | version | print-cmd) JMX_FLAGS="$(jmx_flags)" ;;
  drain | replace | trace | force-new-cluster | position | move-in | switch-protocol | feature-level) JMX_FLAGS="" ;;
  *)
    # as ZooKeeper's script: whoever calls it with a command that only another release knows goes on
    usage >&2
    exit 0
    ;;
esac

echo "Using config: $ZOOCFG" >&2
DATA_DIR="$(config_value "$ZOOCFG" dataDir)"
if [[ -z "${ZOOPIDFILE:-}" ]]; then
  if [[ -n "$DATA_DIR" ]]; then
    ZOOPIDFILE="$DATA_DIR/zookeeper_server.pid"
  elif [[ "$COMMAND" == stop || "$COMMAND" == restart || "$COMMAND" == status ]]; then
    echo "Error: no dataDir found in $ZOOCFG; give the zoo.cfg that the server was started with" >&2
    exit 1
  else
    # the server itself says what is wrong with its file
    ZOOPIDFILE="$ZOO_LOG_DIR/zookeeper_server.pid"
  fi
elif [[ "$COMMAND" == start || "$COMMAND" == restart ]]; then
  mkdir -p "$(dirname "$ZOOPIDFILE")" 2>/dev/null
fi

# if it may not create its directories, the server cannot even write its process id
if [[ -n "${ZOO_DATADIR_AUTOCREATE_DISABLE:-}" && "$COMMAND" != print-cmd ]]; then
  if [[ ! -d "$DATA_DIR/version-2" ]]; then
    echo "ZooKeeper data directory is missing at $DATA_DIR fix the path or run initialize"
    exit 1
  fi
  DATA_LOG_DIR="$(config_value "$ZOOCFG" dataLogDir)"
  if [[ -n "$DATA_LOG_DIR" && ! -d "$DATA_LOG_DIR/version-2" ]]; then
    echo "ZooKeeper txnlog directory is missing at $DATA_LOG_DIR fix the path or run initialize"
    exit 1
  fi
fi

case "$COMMAND" in
  start)
    find_jars
    check_java
    find_client_address
    start_server
    ;;
  start-foreground)
    find_jars
    check_java
    find_client_address
    start_in_foreground
    ;;
  stop)
    stop_server
    ;;
  restart)
    find_jars
    check_java
    find_client_address
    stop_server
    start_server
    ;;
  status)
    show_status
    ;;
  version)
    show_version
    ;;
  print-cmd)
    find_jars
    build_server_command
    printf '%q ' "${SERVER_COMMAND[@]}"
    echo
    ;;
  *)
    run_operator_command
    ;;
esac
