#!/usr/bin/env bash
# Makes the class archive (JEP 350) with which servers and tools start faster: runs three servers from the jars in lib/,
# uses them, and lets the JVM of one keep the classes that it has loaded. The build runs it; again after another JDK was
# installed. Without the archive everything works, only slower in the first seconds. In a distribution the first start of a
# server makes one, of the list of classes that its JVM writes.
#
#   bin/zkClassArchive.sh
#   bin/zkClassArchive.sh --of CLASS_LIST    deletes the list
set -euo pipefail

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh"

CLASS_LIST=""
if [[ $# -eq 2 && "$1" == --of ]]; then
  CLASS_LIST="$2"
elif [[ $# -gt 0 ]]; then
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi

# Makes the archive of a list that a JVM is writing, when nothing has come for a while.
archive_list() {
  local size=-1 before=-2 waits=0 new="$ZOO_CLASS_ARCHIVE.$$.new"
  # shellcheck disable=SC2064
  trap "rm -f $(printf '%q ' "$CLASS_LIST" "$CLASS_LIST.whole" "$new")" EXIT
  renice -n 10 $$ >/dev/null 2>&1 || true
  while (((size <= 0 || size != before) && waits < 30)); do
    sleep 2
    waits=$((waits + 1))
    before=$size
    size=0
    [[ ! -f "$CLASS_LIST" ]] || size=$(wc -c <"$CLASS_LIST")
  done
  if ((size <= 0)); then
    echo "zkClassArchive.sh: no JVM has written $CLASS_LIST within $((2 * waits)) s; no class archive is made" >&2
    exit 1
  fi
  # the JVM writes in blocks, which end anywhere
  sed '$d' "$CLASS_LIST" >"$CLASS_LIST.whole"
  ZOO_JARS_ONLY=true ZOO_CLASS_ARCHIVE=/nowhere find_jars
  "${JAVA_COMMAND[@]}" -Xshare:dump -XX:+UseG1GC -Xmx256m "-XX:SharedClassListFile=$CLASS_LIST.whole" \
    "-XX:SharedArchiveFile=$new"
  mv "$new" "$ZOO_CLASS_ARCHIVE"
}

if [[ -n "$CLASS_LIST" ]]; then
  archive_list
  exit
fi

find_jars
PORT_ATTEMPTS=5
directory="$(mktemp -d)"
trap 'ZOO_LOG_DIR= "$ZOOBINDIR/zkEnsemble.sh" stop --dir "$directory/ensemble" >/dev/null 2>&1 || true; rm -rf "$directory"' EXIT

without_archive() {
  echo "zkClassArchive.sh: $1; servers will start without a class archive. The servers said:" >&2
  tail -n 5 "$directory"/*.txt "$directory"/ensemble/server-1/logs/* >&2 2>/dev/null || true
  exit 0
}

rm -f "$ZOO_CLASS_ARCHIVE"
mkdir -p "$directory/ensemble/server-1"
# An archive knows jars only, so this server has no directory on its class path. The files are in the directory it is
# started in: flags are separated by spaces, and a path may have some.
cp "$ZOOKEEPER_PREFIX/conf/logback.xml" "$directory"
cd "$directory"
cat >ensemble/server-1/java.env <<END
SERVER_JVMFLAGS="-XX:ArchiveClassesAtExit=classes.jsa -Xlog:cds=off -Xlog:cds+dynamic=off \
  -Dlogback.configurationFile=logback.xml"
ZOO_JARS_ONLY=true
END

# Else the scripts, which build what is older than its sources, would begin the build anew within itself.
export ZOO_JARS_ARE_NEW=true
started=false
for ((attempt = 0; attempt < PORT_ATTEMPTS; attempt++)); do
  port=$((20000 + RANDOM % 12000))
  printf '%s\n' servers=3 "basePort=$port" protocol=chain >"$directory/ensemble/ensemble.settings"
  if "$ZOOBINDIR/zkEnsemble.sh" start 3 --dir "$directory/ensemble" >"$directory/start.txt" 2>&1; then
    started=true
    break
  fi
done
[[ "$started" == true ]] || without_archive "three servers could not be started"
printf '%s\n' 'create /a b' 'get /a' 'set /a c' 'ls -s /' 'delete /a' quit |
  "$ZOOBINDIR/zkCli.sh" -server "127.0.0.1:$port" >"$directory/client.txt" 2>&1 ||
  without_archive "a client could not use the servers"
"$ZOOBINDIR/zkEnsemble.sh" stop --dir "$directory/ensemble" >"$directory/stop.txt" 2>&1 ||
  without_archive "the servers could not be stopped"
[[ -f "$directory/classes.jsa" ]] || without_archive "the JVM has written no archive"
mv "$directory/classes.jsa" "$ZOO_CLASS_ARCHIVE"
