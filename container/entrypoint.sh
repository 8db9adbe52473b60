#!/usr/bin/env bash
# Starts the server of an image: writes zoo.cfg and myid from the variables that ZooKeeper's official image has, then runs
# the command; without one that is the server. What contradicts itself is said in one line, and nothing is written.
set -euo pipefail
# values are words, not patterns of file names
set -f

fail() {
  echo "Error: $*" >&2
  exit 1
}

# who names the entrypoint, as Kubernetes' command does, gets none of the image's command
(($# > 0)) || set -- zkServer.sh start-foreground

if [[ "${1:-}" != zkServer.sh || ! "${2:-}" =~ ^start(-foreground)?$ ]]; then
  exec "$@"
fi

CONF_DIR="${ZOO_CONF_DIR:-/conf}"
DATA_DIR="${ZOO_DATA_DIR:-/data}"
DATA_LOG_DIR="${ZOO_DATA_LOG_DIR:-/datalog}"
CONFIG="$CONF_DIR/zoo.cfg"
MADE_HERE="# Written by the image's entrypoint from ZOO_* variables, when there was none."

# The variables, the keys that they are for, and the values without them.
KEYS=(
  "ZOO_TICK_TIME tickTime 2000"
  "ZOO_INIT_LIMIT initLimit 5"
  "ZOO_SYNC_LIMIT syncLimit 2"
  "ZOO_AUTOPURGE_SNAPRETAINCOUNT autopurge.snapRetainCount 3"
  "ZOO_AUTOPURGE_PURGEINTERVAL autopurge.purgeInterval 0"
  "ZOO_MAX_CLIENT_CNXNS maxClientCnxns 60"
  "ZOO_STANDALONE_ENABLED standaloneEnabled false"
  "ZOO_ADMINSERVER_ENABLED admin.enableServer true"
)

# Prints the value that ZOO_CFG_EXTRA gives to a key. extra_value KEY
extra_value() {
  local entry
  for entry in ${ZOO_CFG_EXTRA:-}; do
    if [[ "${entry%%=*}" == "$1" ]]; then
      echo "${entry#*=}"
    fi
  done
}

check_value() {
  case "$1" in
    *_ENABLED) [[ "$2" == true || "$2" == false ]] || fail "$1=$2: give true or false" ;;
    *) [[ "$2" =~ ^[0-9]{1,9}$ ]] || fail "$1=$2: give a number" ;;
  esac
}

# Refuses a directory that the server would read otherwise in zoo.cfg than this script does. check_directory VARIABLE PATH
check_directory() {
  local LC_ALL=C
  if [[ "$2" == *[^[:print:]]* || "$2" == *\\* ]]; then
    fail "$1=$2: give a path of plain ASCII without a backslash; in zoo.cfg the server would read another one"
  fi
}

# Sets MY_ID, which the data directory, ZOO_MY_ID and ZOO_SERVERS have to agree on.
check_id() {
  local server ids=" " id
  MY_ID="${ZOO_MY_ID:-}"
  [[ -z "$MY_ID" || "$MY_ID" =~ ^[1-9][0-9]{0,2}$ ]] || fail "ZOO_MY_ID=$MY_ID: give a number from 1 to 255"
  [[ -z "$MY_ID" ]] || ((MY_ID <= 255)) || fail "ZOO_MY_ID=$MY_ID: give a number from 1 to 255"
  if [[ -s "$DATA_DIR/myid" ]]; then
    id="$(head -n 1 "$DATA_DIR/myid")"
    [[ -z "$MY_ID" || "$MY_ID" == "$id" ]] ||
      fail "ZOO_MY_ID=$MY_ID, but the data in $DATA_DIR are those of server $id; give it its own volume, or ZOO_MY_ID=$id"
    MY_ID="$id"
  fi
  MY_ID="${MY_ID:-1}"
  [[ ! -s "$CONFIG" ]] || return 0
  for server in $ZOO_SERVERS; do
    [[ "$server" =~ ^server\.([0-9]+)=[^=]+:[0-9]+:[0-9]+.*$ ]] ||
      fail "ZOO_SERVERS: '$server' is not of the form server.ID=HOST:2888:3888;2181"
    id="${BASH_REMATCH[1]}"
    [[ "$server" == *";"* || -n "$(extra_value clientPort)$(extra_value secureClientPort)" ]] ||
      fail "ZOO_SERVERS: '$server' has no port for clients; add ;2181, or clientPort=2181 to ZOO_CFG_EXTRA"
    [[ "$ids" != *" $id "* ]] || fail "ZOO_SERVERS names server.$id twice"
    ids="$ids$id "
  done
  [[ "$ids" == *" $MY_ID "* ]] || fail "ZOO_MY_ID=$MY_ID, but ZOO_SERVERS has no server.$MY_ID; it names:$ids"
}

# Prints the file. A key that ZOO_CFG_EXTRA has too is left to it, unless a variable says something else.
config() {
  local row variable key default value extra server entry
  echo "$MADE_HERE"
  echo "dataDir=$DATA_DIR"
  echo "dataLogDir=$DATA_LOG_DIR"
  for row in "${KEYS[@]}"; do
    read -r variable key default <<<"$row"
    value="${!variable:-}"
    extra="$(extra_value "$key")"
    [[ -z "$value" ]] || check_value "$variable" "$value"
    if [[ -z "$extra" ]]; then
      echo "$key=${value:-$default}"
    elif [[ -n "$value" && "$value" != "$extra" ]]; then
      fail "$variable=$value, but ZOO_CFG_EXTRA says $key=$extra; give one of them"
    fi
  done
  for server in $ZOO_SERVERS; do
    echo "$server"
  done
  if [[ -n "${ZOO_4LW_COMMANDS_WHITELIST:-}" ]]; then
    extra="$(extra_value 4lw.commands.whitelist)"
    [[ -z "$extra" ]] || fail "ZOO_4LW_COMMANDS_WHITELIST and 4lw.commands.whitelist in ZOO_CFG_EXTRA; give one of them"
    echo "4lw.commands.whitelist=$ZOO_4LW_COMMANDS_WHITELIST"
  fi
  for entry in ${ZOO_CFG_EXTRA:-}; do
    [[ "$entry" == ?*=* ]] || fail "ZOO_CFG_EXTRA: '$entry' is not of the form key=value"
    case "${entry%%=*}" in
      dataDir | dataLogDir) fail "ZOO_CFG_EXTRA: '$entry'; give ZOO_DATA_DIR and ZOO_DATA_LOG_DIR instead" ;;
    esac
    echo "$entry"
  done
}

# Says which variables a zoo.cfg that was mounted makes useless.
warn_of_useless_variables() {
  local row variable useless=""
  [[ "$(head -n 1 "$CONFIG")" != "$MADE_HERE" ]] || return 0
  for row in "${KEYS[@]}" ZOO_SERVERS ZOO_4LW_COMMANDS_WHITELIST ZOO_CFG_EXTRA; do
    variable="${row%% *}"
    [[ -z "${!variable:-}" ]] || useless="$useless $variable"
  done
  [[ -z "$useless" ]] || echo "Warning: $CONFIG is there, so these have no effect:$useless" >&2
}

export ZOOCFGDIR="$CONF_DIR"
# a loss of power leaves files empty that were written just before it
if [[ -s "$CONFIG" ]]; then
  warn_of_useless_variables
  check_id
else
  if [[ -z "${ZOO_SERVERS:-}" ]]; then
    [[ "${ZOO_MY_ID:-1}" == 1 ]] || fail "ZOO_MY_ID=$ZOO_MY_ID, but ZOO_SERVERS is not set; name all servers in it"
    ZOO_SERVERS="server.1=localhost:2888:3888;2181"
  fi
  check_id
  check_directory ZOO_DATA_DIR "$DATA_DIR"
  check_directory ZOO_DATA_LOG_DIR "$DATA_LOG_DIR"
  text="$(config)" || exit 1
  [[ -w "$CONF_DIR" ]] || fail "$CONF_DIR cannot be written by user $(id -u); mount a zoo.cfg, or a volume that it may write"
fi
for directory in "$DATA_DIR" "$DATA_LOG_DIR"; do
  mkdir -p "$directory" 2>/dev/null && [[ -w "$directory" ]] ||
    fail "$directory cannot be written by user $(id -u); give it the volume, or run as the volume's owner"
done
[[ -s "$CONFIG" ]] || printf '%s\n' "$text" >"$CONFIG"
[[ -s "$DATA_DIR/myid" ]] || echo "$MY_ID" >"$DATA_DIR/myid"
exec "$@"
