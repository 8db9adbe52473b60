#!/usr/bin/env bash
# Sourced by the other scripts: where things are, which java, which class path. Everything can be set beforehand in the
# environment, or in zookeeper-env.sh and java.env in the configuration directory.
#
# Sets ZOOKEEPER_PREFIX, ZOOCFGDIR, ZOOCFG, ZOO_LOG_DIR, JAVA, ZOO_SERVER_FLAGS, ZOO_CLIENT_FLAGS. The variables of the
# user stay as they are: a script that calls another one must not hand it flags twice. What depends on the jars is made by
# find_jars, which a script calls when they are there.

# it has cd go elsewhere, and print where
unset CDPATH
ZOOBINDIR="${ZOOBINDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}"
ZOOKEEPER_PREFIX="$(cd "$ZOOBINDIR/.." && pwd)"

# every script takes the configuration directory as its first argument; shift acts on the script that sources this one
if [[ "${1:-}" == --config ]]; then
  if [[ ! -d "${2:-}" ]]; then
    echo "Error: --config ${2:-}: not a directory; give the directory that holds zoo.cfg" >&2
    exit 1
  fi
  ZOOCFGDIR="$(cd "$2" && pwd)"
  shift 2
fi
if [[ -z "${ZOOCFGDIR:-}" ]]; then
  ZOOCFGDIR="$ZOOKEEPER_PREFIX/conf"
  if [[ ! -d "$ZOOCFGDIR" && -d "$ZOOKEEPER_PREFIX/etc/zookeeper" ]]; then
    ZOOCFGDIR="$ZOOKEEPER_PREFIX/etc/zookeeper"
  fi
fi

# Prints the number of the user whose file it is: owner_of FILE
owner_of() {
  local mode links owner rest
  # shellcheck disable=SC2034,SC2012  # stat has other options on other systems
  read -r mode links owner rest < <(ls -lnd "$1")
  echo "$owner"
}

# Whether others put files into a directory, beside its owner's: as the server's user does in /etc/chainkeeper.
is_shared() {
  [[ -k "$1/." && ! -G "$1/." ]]
}

# Ends the script where a file is neither root's nor its directory's owner's: whoever has put it there would have this user
# run it. check_owner FILE
check_owner() {
  local owner directory="${1%/*}"
  ((EUID == 0)) || is_shared "$directory" || return 0
  owner="$(owner_of "$1")"
  [[ "$owner" != 0 && "$owner" != "$EUID" && "$owner" != "$(owner_of "$directory/.")" ]] || return 0
  echo "Error: $1 is a file of user $owner and would be run as user $EUID; delete it, or give it to root: chown -h root $1" >&2
  exit 1
}

for file in "$ZOOCFGDIR/zookeeper-env.sh" "$ZOOCFGDIR/java.env"; do
  [[ ! -f "$file" ]] || check_owner "$file"
done
if [[ "${ZOO_OTHER_SERVERS:-}" == true ]]; then
  # the script's servers are not the one that the files are for: it takes only where java and the jars are
  {
    IFS= read -r JAVA_HOME
    IFS= read -r ZOOLIBDIR
  } < <(
    for file in zookeeper-env.sh java.env; do
      # shellcheck source=/dev/null
      [[ ! -f "$ZOOCFGDIR/$file" ]] || . "$ZOOCFGDIR/$file" >/dev/null
    done
    printf '%s\n' "${JAVA_HOME:-}" "${ZOOLIBDIR:-}"
  )
  export JAVA_HOME ZOOLIBDIR
else
  if [[ -f "$ZOOCFGDIR/zookeeper-env.sh" ]]; then
    # shellcheck source=/dev/null
    . "$ZOOCFGDIR/zookeeper-env.sh"
  fi
  if [[ -f "$ZOOCFGDIR/java.env" ]]; then
    # shellcheck source=/dev/null
    . "$ZOOCFGDIR/java.env"
  fi
fi

# what a command line names is before what the files set
ZOOCFG="${GIVEN_ZOOCFG:-${ZOOCFG:-zoo.cfg}}"
unset GIVEN_ZOOCFG
# a bare name means a file in the configuration directory, anything else is a path
if [[ "$ZOOCFG" != */* ]]; then
  ZOOCFG="$ZOOCFGDIR/$ZOOCFG"
fi
ZOO_LOG_DIR="${ZOO_LOG_DIR:-$ZOOKEEPER_PREFIX/logs}"
# shellcheck disable=SC2034
ZOO_USER="${USER:-$(id -un)}"

if [[ -n "${JAVA_HOME:-}" ]]; then
  JAVA="$JAVA_HOME/bin/java"
else
  JAVA="$(command -v java || true)"
fi

# Prints which release of Java it is, where a file of its directory says so. Links, as those in /usr/bin, are followed.
java_release() {
  local java="$JAVA"
  [[ ! -L "$java" ]] || java="$(readlink -f "$java" 2>/dev/null)"
  [[ ! -r "${java%/bin/java}/release" ]] ||
    sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]\{1,4\}\).*/\2/p' "${java%/bin/java}/release" | head -n 1
}
ZOO_JAVA_RELEASE="$(java_release)"

# a distribution has lib/, a source tree what the build gathers
ZOO_LIB_DIR="${ZOOLIBDIR:-$ZOOKEEPER_PREFIX/lib}"
if [[ -z "${ZOOLIBDIR:-}" && -f "$ZOOKEEPER_PREFIX/zookeeper-assembly/pom.xml" ]]; then
  ZOO_LIB_DIR="$ZOOKEEPER_PREFIX/zookeeper-assembly/target/lib"
fi
ZOO_CLASS_ARCHIVE="${ZOO_CLASS_ARCHIVE:-$(dirname "$ZOO_LIB_DIR")/classes.jsa}"

# Prints the memory that processes may use here, in MB: the machine's, or less where a control group says so (a container,
# a unit of systemd). Prints nothing where the system does not tell. Arguments: where the kernel shows both.
memory_megabytes() {
  local proc="${1:-/proc}" groups="${2:-/sys/fs/cgroup}"
  local least name value rest group line file directory
  [[ -r "$proc/meminfo" ]] || return 0
  while read -r name value rest; do
    [[ "$name" != MemTotal: ]] || least=$((value / 1024))
  done <"$proc/meminfo"
  [[ -n "${least:-}" && -r "$proc/self/cgroup" ]] || {
    echo "${least:-}"
    return 0
  }
  # version 2 has one group for everything, version 1 one for memory; the groups around a group limit it too
  while IFS= read -r line; do
    group="${line#*:*:}"
    case "$line" in
      0::*) directory="$groups" file=memory.max ;;
      *:memory:*) directory="$groups/memory" file=memory.limit_in_bytes ;;
      *) continue ;;
    esac
    while true; do
      value=""
      [[ ! -r "$directory$group/$file" ]] || read -r value <"$directory$group/$file"
      # unlimited is a word, or a number near the largest
      if [[ "$value" =~ ^[0-9]{1,18}$ ]] && ((value / 1048576 < least)); then
        least=$((value / 1048576))
      fi
      [[ -n "${group%/}" ]] || break
      group="${group%/*}"
    done
  done <"$proc/self/cgroup"
  echo "$least"
}

# Without ZK_SERVER_HEAP a server's heap is a share of the memory that there is; where that is unknown, the JVM's default.
ZK_SERVER_HEAP_PERCENT="${ZK_SERVER_HEAP_PERCENT:-25}"
if ! [[ "$ZK_SERVER_HEAP_PERCENT" =~ ^[0-9]{1,2}$ ]] || ((10#$ZK_SERVER_HEAP_PERCENT < 1)); then
  echo "Error: ZK_SERVER_HEAP_PERCENT=$ZK_SERVER_HEAP_PERCENT: give a number from 1 to 99, or ZK_SERVER_HEAP in MB" >&2
  exit 1
fi
if [[ -z "${ZK_SERVER_HEAP:-}" ]]; then
  ZK_SERVER_HEAP="$(memory_megabytes)"
  [[ -z "$ZK_SERVER_HEAP" ]] || ZK_SERVER_HEAP=$((ZK_SERVER_HEAP * 10#$ZK_SERVER_HEAP_PERCENT / 100))
fi
ZK_CLIENT_HEAP="${ZK_CLIENT_HEAP:-256}"

# lmdbjava reads the address of direct buffers; file names and logs must not depend on the locale
ZOO_MODULE_FLAGS="--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
ZOO_MODULE_FLAGS="$ZOO_MODULE_FLAGS --add-exports=java.base/sun.nio.ch=ALL-UNNAMED -Dfile.encoding=UTF-8"
# Netty and LMDB call native code; from Java 24 on each start would warn of it
ZOO_MODULE_FLAGS="$ZOO_MODULE_FLAGS --enable-native-access=ALL-UNNAMED"
# the JVM's shared performance data is a memory-mapped file: an idle server would write to the disk all the time
ZOO_MODULE_FLAGS="$ZOO_MODULE_FLAGS -XX:+PerfDisableSharedMem"
# nor need it wake up twenty times a second to sample what is in there
# (Java 25 and later do without, and warn of the flag)
if ((${ZOO_JAVA_RELEASE:-0} < 25)); then
  ZOO_MODULE_FLAGS="$ZOO_MODULE_FLAGS -XX:PerfDataSamplingInterval=1000"
fi
# with the JVM's 21 MB a server reaches them as it begins to serve, and the whole heap is collected then
ZOO_MODULE_FLAGS="$ZOO_MODULE_FLAGS -XX:MetaspaceSize=64m"

# A heap of this size is collected in milliseconds by the collector that needs the least memory and CPU; larger ones are
# left to the JVM's choice. When a server dies, its kernel frees its memory before it closes its connections, by which the
# other servers notice: 0.12 s for each GB in pages of 4 kB, a tenth of that in huge pages.
ZOO_HEAP_FLAGS=""
ZOO_HUGE_PAGES=/sys/kernel/mm/transparent_hugepage/enabled
if ! [[ "$ZK_SERVER_HEAP" =~ ^[0-9]+$ ]] || ((ZK_SERVER_HEAP > 512)); then
  if [[ -r $ZOO_HUGE_PAGES && "$(<"$ZOO_HUGE_PAGES")" != *"[never]"* ]]; then
    ZOO_HEAP_FLAGS=" -XX:+UseTransparentHugePages"
  fi
elif [[ "${SERVER_JVMFLAGS:-} ${JVMFLAGS:-}" != *-XX:+Use*GC* ]]; then
  ZOO_HEAP_FLAGS=" -XX:+UseSerialGC"
fi

# A start calls thousands of methods a few thousand times each. With the JVM's thresholds the optimizing compiler takes a
# quarter of the processor time until a server serves, for methods that are never needed again; a server under load is
# through three times as many calls within seconds.
ZOO_COMPILER_FLAGS="-XX:Tier4InvocationThreshold=15000 -XX:Tier4MinInvocationThreshold=1800"
ZOO_COMPILER_FLAGS="$ZOO_COMPILER_FLAGS -XX:Tier4CompileThreshold=45000 -XX:Tier4BackEdgeThreshold=120000"

# shellcheck disable=SC2034  # for the scripts that source this one
ZOO_SERVER_FLAGS="$ZOO_MODULE_FLAGS $ZOO_COMPILER_FLAGS ${ZK_SERVER_HEAP:+-Xmx${ZK_SERVER_HEAP}m}$ZOO_HEAP_FLAGS ${SERVER_JVMFLAGS:-} ${JVMFLAGS:-}"
# shellcheck disable=SC2034
ZOO_CLIENT_FLAGS="$ZOO_MODULE_FLAGS -Xmx${ZK_CLIENT_HEAP}m ${CLIENT_JVMFLAGS:-} ${JVMFLAGS:-}"

# What stops, drains or asks a server does without.
has_java() {
  [[ -x "$JAVA" ]] && ! is_too_old "$ZOO_JAVA_RELEASE"
}

# Whether a release of Java is known and too old for our classes: is_too_old RELEASE
is_too_old() {
  [[ -n "$1" ]] && (($1 < 17))
}

fail_for_java() {
  echo "Error: $JAVA is Java $1; install a JDK 17 or newer, or set JAVA_HOME to one" >&2
  exit 1
}

has_jars() {
  local jars=("$ZOO_LIB_DIR"/zookeeper-server-core-*.jar)
  [[ -e "${jars[0]}" ]]
}

# Sets JAVA_COMMAND: java with its class path and class archive. Ends the script if there is nothing to run. No class path
# is made anywhere else: a list of jars from before the build would be empty.
find_jars() {
  local LC_ALL=C # else the locale decides what comes first, and an archive made under another one does not fit
  local class_path directory file
  ! is_too_old "$ZOO_JAVA_RELEASE" || fail_for_java "$ZOO_JAVA_RELEASE"
  if ! has_java; then
    echo "Error: ${JAVA_HOME:+JAVA_HOME=$JAVA_HOME holds no bin/java: }java not found; install Java 17 or later, or set JAVA_HOME" >&2
    exit 1
  fi
  if ! has_jars; then
    if [[ -f "$ZOOKEEPER_PREFIX/pom.xml" ]]; then
      echo "Error: no jars in $ZOO_LIB_DIR; build them with: mvn -q -f $(printf %q "$ZOOKEEPER_PREFIX") -DskipTests package" >&2
    else
      echo "Error: no jars in $ZOO_LIB_DIR; unpack the distribution again, or set ZOOLIBDIR to where they are" >&2
    fi
    exit 1
  fi
  # The jars by their names and first, as the class archive of bin/zkClassArchive.sh has them. conf/ of the distribution
  # stands behind a directory given by the user, for its logback.xml.
  printf -v class_path '%s:' "$ZOO_LIB_DIR"/*.jar
  if [[ -n "${ZOO_JARS_ONLY:-}" ]]; then
    class_path="${class_path%:}"
  else
    for directory in "$ZOOCFGDIR" "$ZOOKEEPER_PREFIX/conf"; do
      if is_shared "$directory"; then
        # no classes of others; what is logged is found by log_flag
        for file in "$directory"/logback*.xml; do
          [[ ! -e "$file" ]] || check_owner "$file"
        done
      else
        class_path="$class_path$directory:"
      fi
    done
    class_path="${class_path%:}${CLASSPATH:+:$CLASSPATH}"
  fi
  JAVA_COMMAND=("$JAVA" -cp "$class_path")
  # A third less CPU until a server serves. A JVM that the archive does not fit goes without, silently.
  if uses_class_archive; then
    JAVA_COMMAND+=("-XX:SharedArchiveFile=$ZOO_CLASS_ARCHIVE" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
  fi
}

# Whether there is a class archive, of our own or of who has put the jars there: what anybody else has written is not run.
uses_class_archive() {
  [[ -f "$ZOO_CLASS_ARCHIVE" ]] || return 1
  [[ -O "$ZOO_CLASS_ARCHIVE" ]] || [[ "$(owner_of "$ZOO_CLASS_ARCHIVE")" == "$(owner_of "$ZOO_LIB_DIR")" ]]
}

# Prints the flag for a file that says what is logged: its name where its directory is on the class path: log_flag NAME
log_flag() {
  local directory file="$1"
  for directory in "$ZOOCFGDIR" "$ZOOKEEPER_PREFIX/conf"; do
    if [[ -f "$directory/$1" ]]; then
      ! is_shared "$directory" || file="$directory/$1"
      break
    fi
  done
  echo "-Dlogback.configurationFile=$file"
}

# Becomes one of ZooKeeper's tools: run_tool MAIN_CLASS [ARGUMENT ...]
run_tool() {
  local flags
  find_jars
  IFS=$' \t\n' read -r -d '' -a flags <<<"$ZOO_MODULE_FLAGS ${JVMFLAGS:-}" || true
  exec "${JAVA_COMMAND[@]}" "$(log_flag logback-cli.xml)" "${flags[@]}" "$@"
}

# Prints the value of a key in a configuration file: config_value FILE KEY
config_value() {
  local key="${2//./\\.}"
  [[ -r "$1" ]] || return 0
  sed -n "s/^[[:space:]]*${key}[[:space:]]*[=:][[:space:]]*\(.*[^[:space:]]\)[[:space:]]*$/\1/p" "$1" | tail -n 1
}

# Whether there is a process, also one of another user: process_exists PID
process_exists() {
  kill -0 "$1" 2>/dev/null || [[ "$(LC_ALL=C kill -0 "$1" 2>&1)" == *"not permitted"* ]]
}

# Sets SERVED to the configuration that a process was started with, if it is a server of anybody or one of Apache ZooKeeper,
# whose script notes it in the same file; empty if the system does not show it. Fails for one that is dead and unreaped, and
# for a stranger that got its number: is_any_server PID
is_any_server() {
  local classes='io\.chainkeeper\.main\.ChainkeeperMain|org\.apache\.zookeeper\.server\.quorum\.QuorumPeerMain'
  local command word found=false
  SERVED=""
  [[ "$1" =~ ^[1-9][0-9]*$ ]] && process_exists "$1" || return 1
  if [[ -r "/proc/$1/cmdline" ]]; then
    while IFS= read -r -d '' word; do
      if [[ "$found" == true ]]; then
        SERVED="$word"
        break
      fi
      [[ ! "$word" =~ ^($classes)$ ]] || found=true
    done 2>/dev/null <"/proc/$1/cmdline"
    [[ "$found" == true ]]
  elif command="$(ps -ww -o args= -p "$1" 2>/dev/null)"; then
    [[ "$command" =~ (^|[[:space:]])($classes)([[:space:]]+(.*[^[:space:]]))?[[:space:]]*$ ]] || return 1
    SERVED="${BASH_REMATCH[4]}"
  fi
}

# Whether a process is the server of a configuration, or one on its dataDir: the number in a file may long be that of another
# server. What the system does not show may be it: is_server PID ZOO_CFG
is_server() {
  local own="$2" root="" file data served_data
  is_any_server "$1" || return 1
  [[ -n "$SERVED" ]] || return 0
  [[ "$own" == /* ]] || own="$PWD/$own"
  # in a container the same path is another file
  if [[ -e "/proc/$1/root/." && ! "/proc/$1/root/." -ef / ]]; then
    root="/proc/$1/root"
  fi
  file="$root$SERVED"
  if [[ "$SERVED" != /* ]]; then
    file="/proc/$1/cwd/$SERVED"
    [[ -e "/proc/$1/cwd/." ]] || return 0
  elif [[ -z "$root" && "$SERVED" == "$own" ]]; then
    return 0
  fi
  [[ ! "$file" -ef "$own" ]] || return 0
  # moved to another place since, or from Apache ZooKeeper
  data="$(config_value "$own" dataDir)"
  served_data="$(config_value "$file" dataDir)"
  [[ "$served_data" == /* && -n "$data" && "$root$served_data" -ef "$data" ]]
}

# Prints the processes that are the server of a configuration, however they were started: servers_of ZOO_CFG
servers_of() {
  local pid
  if [[ -r /proc/self/cmdline ]]; then
    for pid in /proc/[0-9]*; do
      ! is_server "${pid#/proc/}" "$1" || [[ -z "$SERVED" ]] || echo "${pid#/proc/}"
    done
    return
  fi
  while read -r pid; do
    ! is_server "$pid" "$1" || [[ -z "$SERVED" ]] || echo "$pid"
  done < <(ps -A -o pid= 2>/dev/null)
}

# Prints the processes that hold a lock of a file, where the system tells; 0 or less for one that it does not show:
# lock_holders FILE
lock_holders() {
  local inode line fields pid descriptor held
  [[ -e "$1" && -r /proc/locks ]] || return 0
  # shellcheck disable=SC2012  # stat has other options on other systems
  read -r inode line < <(ls -Ldi "$1")
  while IFS= read -r line; do
    IFS=' ' read -r -a fields <<<"$line"
    [[ "${fields[1]}" != "->" && "${fields[5]}" == *:*:"$inode" ]] || continue
    pid="${fields[4]}"
    # the number may be that of a file in another file system
    held=true
    if [[ -r "/proc/$pid/fd" && -x "/proc/$pid/fd" ]]; then
      held=false
      for descriptor in "/proc/$pid/fd"/*; do
        [[ ! "$descriptor" -ef "$1" ]] || held=true
      done
    fi
    [[ "$held" == false ]] || echo "$pid"
  done </proc/locks
}

# Whether a process has not ended: one that is ending has lost its command line but may still hold ports and locks, one
# that is dead and unreaped holds nothing. process_lives PID
process_lives() {
  local state
  process_exists "$1" || return 1
  if [[ -r "/proc/$1/stat" ]]; then
    # a name, in parentheses, is before it
    state="$(cat "/proc/$1/stat" 2>/dev/null)"
    state="${state##*) }"
  else
    state="$(ps -o stat= -p "$1" 2>/dev/null)"
  fi
  [[ "$state" != Z* ]]
}

# Prints a server's answer to a four-letter word: four_letter_word HOST PORT WORD. Fails if nobody listens.
four_letter_word() {
  local line status=1
  # the subshell keeps bash's own message about a refused connection off the terminal
  (
    exec 3<>"/dev/tcp/$1/$2" || exit 1
    printf '%s' "$3" >&3
    while IFS= read -r -t 5 line <&3; do
      printf '%s\n' "$line"
    done
    [[ -z "$line" ]] || printf '%s\n' "$line"
  ) 2>/dev/null && status=0
  return "$status"
}
