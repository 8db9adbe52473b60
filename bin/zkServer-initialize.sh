#!/usr/bin/env bash
# Prepares empty directories for a server: version-2 in dataDir and dataLogDir, and myid.

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"

usage() {
  cat <<USAGE
Usage: $0 [--config CONF_DIR] [--configfile=ZOO_CFG] [--myid=ID] [--force]

  --configfile=ZOO_CFG  the server's zoo.cfg (here: $ZOOCFG)
  --myid=ID             the server's id, 1 to 255; without it, write it into dataDir/myid yourself
  --force               delete what is in the directories: znodes, logs, and what the server has promised to others.
                        A server of an ensemble fetches its state from the others afterwards; never do it on a majority
  -h, --help            print this
USAGE
}

fail() {
  echo "$1"
  exit 1
}

MYID=""
FORCE=false
while (($# > 0)); do
  case "$1" in
    --configfile | --myid)
      (($# > 1)) || {
        echo "Unknown option: $1"
        usage
        exit 1
      }
      set -- "$1=$2" "${@:3}"
      ;;
    --configfile=?*)
      ZOOCFG="${1#*=}"
      shift
      ;;
    --myid=?*)
      MYID="${1#*=}"
      shift
      ;;
    --force)
      FORCE=true
      shift
      ;;
    -h | --help)
      usage
      # the exit code of ZooKeeper's script
      exit 1
      ;;
    *)
      echo "Unknown option: $1"
      usage
      exit 1
      ;;
  esac
done

[[ -e "$ZOOCFG" ]] || fail "Unable to find config file at $ZOOCFG"
DATA_DIR="$(config_value "$ZOOCFG" dataDir)"
[[ -n "$DATA_DIR" ]] || fail "Unable to determine dataDir from $ZOOCFG"
DATA_LOG_DIR="$(config_value "$ZOOCFG" dataLogDir)"
DATA_LOG_DIR="${DATA_LOG_DIR:-$DATA_DIR}"
if [[ -n "$MYID" ]] && ! { [[ "$MYID" =~ ^[1-9][0-9]{0,2}$ ]] && ((MYID <= 255)); }; then
  fail "myid $MYID is not a server id; give a number from 1 to 255"
fi
PID_FILE="${ZOOPIDFILE:-$DATA_DIR/zookeeper_server.pid}"
if [[ -f "$PID_FILE" ]] && is_server "$(head -n 1 "$PID_FILE")" "$ZOOCFG"; then
  fail "The server of $ZOOCFG runs as process $(head -n 1 "$PID_FILE"); stop it first: zkServer.sh stop"
fi

# a server that was started in the foreground, by systemd for example, has no file with its process id
read -r running < <(servers_of "$ZOOCFG")
[[ -z "$running" ]] || fail "The server of $ZOOCFG runs as process $running; stop it first"
for directory in "$DATA_LOG_DIR" "$DATA_DIR"; do
  read -r running < <(lock_holders "$directory/ordering/log.lock")
  if [[ "$running" =~ ^[1-9] ]]; then
    fail "Process $running uses $directory/ordering; stop that server first"
  elif [[ -n "$running" ]]; then
    fail "A process that is not shown here, in a container for example, uses $directory/ordering; stop that server first"
  fi
done

if [[ "$FORCE" == true ]]; then
  echo "Force enabled, data/txnlog directories will be re-initialized"
else
  hint="(or use --force to force re-initialization)"
  [[ ! -d "$DATA_DIR/version-2" ]] || fail "ZooKeeper data directory already exists at $DATA_DIR $hint"
  if [[ -d "$DATA_LOG_DIR/version-2" || -d "$DATA_LOG_DIR/ordering" ]]; then
    fail "ZooKeeper txnlog directory already exists at $DATA_LOG_DIR $hint"
  fi
fi

for directory in "$DATA_DIR" "$DATA_LOG_DIR"; do
  # the last is what a switch-protocol that was cut short has prepared: a start would refuse the directory for it
  rm -rf "${directory:?}/myid" "${directory:?}/version-2" "${directory:?}/ordering" "${directory:?}/ordering.next" &&
    mkdir -p "$directory/version-2" || fail "$directory cannot be prepared; give user $ZOO_USER access to it"
done

if [[ -n "$MYID" ]]; then
  echo "Using myid of $MYID"
  echo "$MYID" >"$DATA_DIR/myid" || exit 1
else
  echo "No myid provided, be sure to specify it in $DATA_DIR/myid if using non-standalone"
fi
# lets a server begin without data although db.autocreate=false; looked for beside the transaction log
for directory in "$DATA_DIR" "$DATA_LOG_DIR"; do
  : >"$directory/initialize"
done
