#!/usr/bin/env bash
# Sourced by zkServer.sh: status, and the commands that ZooKeeper's script does not have.

FORCE_CLASS="io.chainkeeper.main.ForceNewCluster"
MOVE_CLASS="io.chainkeeper.main.MoveIn"
SWITCH_CLASS="io.chainkeeper.main.SwitchProtocol"
LEVEL_CLASS="io.chainkeeper.main.FeatureLevelCommand"
REPLACE_CLASS="io.chainkeeper.main.ReplaceServer"
TRACE_CLASS="io.chainkeeper.main.TraceCommand"

# Sets COMMAND_OPTIONS, DRAIN_SECONDS, and GIVEN_ZOOCFG if a file is given, from what follows COMMAND. Ends the script if that
# is wrong.
read_command_options() {
  GIVEN_ZOOCFG=""
  COMMAND_OPTIONS=()
  DRAIN_SECONDS=10
  case "$COMMAND" in
    drain) read_drain_options "$@" ;;
    replace) take_options "--with --auth-file --connect" "--yes" true "$@" ;;
    trace) take_options "--session --limit --connect" "--watch" false "$@" ;;
    force-new-cluster | move-in) take_options "--without" "--yes" false "$@" ;;
    switch-protocol)
      COMMAND_OPTIONS=("${1:-}")
      shift || true
      take_options "--without" "--yes" false "$@"
      ;;
    feature-level) take_options "" "" true "$@" ;;
    *) [[ -z "${1:-}" ]] || GIVEN_ZOOCFG="$1" ;;
  esac
}

# take_options "OPTIONS WITH A VALUE" "OPTIONS WITHOUT" NUMBERS ARGUMENT...: where NUMBERS is true, a number is for the command.
take_options() {
  local valued=" $1 " flags=" $2 " numbers="$3"
  shift 3
  while (($# > 0)); do
    case "$1" in
      -*)
        if [[ "$valued" == *" $1 "* ]]; then
          COMMAND_OPTIONS+=("$1" "${2:-}")
          shift
        elif [[ "$flags" == *" $1 "* ]]; then
          COMMAND_OPTIONS+=("$1")
        else
          usage >&2
          exit 1
        fi
        ;;
      *)
        if [[ "$numbers" == true && "$1" =~ ^[0-9]+$ ]]; then
          COMMAND_OPTIONS+=("$1")
        else
          GIVEN_ZOOCFG="$1"
        fi
        ;;
    esac
    shift || true
  done
}

read_drain_options() {
  if [[ "${1:-}" == --seconds ]]; then
    DRAIN_SECONDS="${2:-}"
    shift 2 || shift
    if ! [[ "$DRAIN_SECONDS" =~ ^[1-9][0-9]{0,3}$ ]]; then
      echo "Error: --seconds '$DRAIN_SECONDS': give a number of seconds from 1 to 9999" >&2
      exit 1
    fi
  fi
  take_options "" "" false "$@"
}

# Prints the line of the server's answer that has its mode, if it answers.
ask_for_mode() {
  local flags
  if ! has_java && [[ "$CLIENT_SSL" == false ]]; then
    four_letter_word "$CLIENT_HOST" "$CLIENT_PORT" srvr | grep Mode
    return
  fi
  find_jars
  IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_CLIENT_FLAGS" || true
  "${JAVA_COMMAND[@]}" "$(log_flag logback-cli.xml)" -XX:TieredStopAtLevel=1 \
    "${flags[@]}" \
    org.apache.zookeeper.client.FourLetterWordMain "$CLIENT_HOST" "$CLIENT_PORT" srvr "$CLIENT_SSL" 2>/dev/null |
    grep Mode
}

# Of a server that takes TLS only, where its answer is not to be had. Ends the script if anything is seen.
say_what_is_seen() {
  local pid seen=""
  pid="$(server_pid)"
  is_server "$pid" "$ZOOCFG" && seen="process $pid runs"
  if client_port_answers; then
    seen="${seen:+$seen, and }port $CLIENT_PORT takes connections"
  elif [[ -n "$seen" ]]; then
    seen="$seen, but port $CLIENT_PORT takes no connections"
  fi
  [[ -n "$seen" ]] || return 0
  echo "Error contacting service. Its mode is not known: $seen."
  exit 1
}

show_status() {
  local mode
  ! has_java || find_jars
  find_client_address
  if [[ -z "$CLIENT_PORT" ]]; then
    echo "Client port not found in $ZOOCFG; add clientPort=..." >&2
    exit 1
  fi
  echo "Client port found: $CLIENT_PORT. Client address: $CLIENT_HOST. Client SSL: $CLIENT_SSL."
  mode="$(ask_for_mode)"
  if [[ -z "$mode" ]]; then
    if [[ "$CLIENT_SSL" == true ]]; then
      echo "Note: only secureClientPort was found; the question needs the client's TLS settings in CLIENT_JVMFLAGS."
      say_what_is_seen
    fi
    echo "Error contacting service. It is probably not running."
    exit 1
  fi
  echo "$mode"
}

# Prints the addresses of all servers' AdminServers, if they have the port of this one.
admin_addresses() {
  local file port commands
  file="$(config_value "$ZOOCFG" dynamicConfigFile)"
  port="$(config_value "$ZOOCFG" admin.serverPort)"
  commands="$(config_value "$ZOOCFG" admin.commandURL)"
  sed -n "s#^[[:space:]]*server\.[0-9]*[[:space:]]*=[[:space:]]*\(\[[^]]*\]\|[^:]*\):.*#\1:${port:-8080}$commands#p" \
    "${file:-$ZOOCFG}" | paste -sd, -
}

# Asks the server to leave, in a file that it looks for, and waits for its answer and its end. One that runs in a terminal
# or under systemd has no file with its process id.
drain_server() {
  local pid orders answer="" deadline taken
  pid="$(server_pid)"
  if [[ -n "$pid" ]] && ! is_server "$pid" "$ZOOCFG"; then
    echo "Error: no server runs with $ZOOCFG: there is nothing to drain" >&2
    exit 1
  fi
  orders="$(config_value "$ZOOCFG" dataLogDir)"
  orders="${orders:-$DATA_DIR}/ordering"
  # no link is followed: where root asks, the server's user could have any file overwritten
  rm -f "$orders/drain-answer" "$orders/drain" "$orders/drain.tmp"
  if ! (set -o noclobber && echo "$DRAIN_SECONDS" >"$orders/drain.tmp") || ! mv "$orders/drain.tmp" "$orders/drain"; then
    echo "Error: $orders cannot be written: run this as the user of the server" >&2
    exit 1
  fi
  printf 'Draining zookeeper ... '
  taken=$((SECONDS + 10))
  deadline=$((SECONDS + DRAIN_SECONDS + ${ZOO_STOP_TIMEOUT:-60}))
  while [[ -z "$answer" ]] || { [[ -n "$pid" ]] && process_lives "$pid"; }; do
    [[ ! -s "$orders/drain-answer" ]] || answer="$(<"$orders/drain-answer")"
    if [[ "$answer" == refused:* ]]; then
      rm -f "$orders/drain-answer"
      not_drained "${answer#refused: }"
    elif [[ -f "$orders/drain" ]] && ((SECONDS >= taken)); then
      rm -f "$orders/drain"
      not_drained "no server has taken the request: none runs on $orders, or it waits for others and serves nobody"
    elif ((SECONDS >= deadline)) || { [[ -n "$pid" && -z "$answer" ]] && ! process_lives "$pid"; }; then
      rm -f "$orders/drain"
      not_drained "the server has not ended, or not by this; look into $ZOO_LOG_DIR"
    fi
    sleep 0.1
  done
  rm -f "$orders/drain-answer" "$ZOOPIDFILE"
  echo "STOPPED: $answer"
}

not_drained() {
  echo "NOT DRAINED"
  echo "Error: $1" >&2
  exit 1
}

# A command for a stopped server: on_stopped_server MAIN_CLASS. The server itself is asked too: it holds the lock of its
# log.
on_stopped_server() {
  local pid
  pid="$(server_pid)"
  if is_server "$pid" "$ZOOCFG"; then
    echo "Error: the server runs as process $pid; stop it first: zkServer.sh stop" >&2
    exit 1
  fi
  become_tool "$1" "${COMMAND_OPTIONS[@]}" "$ZOOCFG"
}

# become_tool JVM_OPTION... MAIN_CLASS ARGUMENT...: becomes the process of a tool.
become_tool() {
  local flags
  find_jars
  IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_CLIENT_FLAGS" || true
  exec "${JAVA_COMMAND[@]}" "$(log_flag logback-cli.xml)" "${flags[@]}" "$@"
}

run_operator_command() {
  # the server has to read the request, whoever makes it; move-in and switch-protocol write what holds data too
  case "$COMMAND" in
    drain | force-new-cluster | feature-level) umask 022 ;;
  esac
  case "$COMMAND" in
    drain) drain_server ;;
    replace)
      find_client_address
      become_tool -Dzookeeper.root.level=OFF "$REPLACE_CLASS" "$CLIENT_HOST:$CLIENT_PORT" "${COMMAND_OPTIONS[@]}"
      ;;
    trace) become_tool -XX:TieredStopAtLevel=1 "$TRACE_CLASS" "$(admin_addresses)" "${COMMAND_OPTIONS[@]}" ;;
    force-new-cluster) on_stopped_server "$FORCE_CLASS" ;;
    position | move-in) on_stopped_server "$MOVE_CLASS" ;;
    switch-protocol) on_stopped_server "$SWITCH_CLASS" ;;
    feature-level) become_tool "$LEVEL_CLASS" "${COMMAND_OPTIONS[@]}" "$ZOOCFG" ;;
  esac
}
