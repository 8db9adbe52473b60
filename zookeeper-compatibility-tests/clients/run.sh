#!/usr/bin/env bash
# Clients of other languages against an ensemble of three replicas. Not part of the build.
#
#   run.sh kazoo-tests [pytest arguments]    kazoo's own tests, unmodified (needs python3, pip, network)
#   run.sh go-tests [go test arguments]      the tests of github.com/go-zookeeper/zk, unmodified (needs go, network)
#   run.sh stock-go-tests [arguments]        the same against the servers of Apache ZooKeeper, to compare
#   run.sh python HOST:PORT,HOST:PORT,...    our script for kazoo, against a running ensemble
#   run.sh go HOST:PORT,HOST:PORT,...        our program for go-zookeeper, against a running ensemble
#   run.sh c HOST:PORT HOST:PORT             our program for ZooKeeper's C client (needs cc, libzookeeper-mt-dev)
#
# ENSEMBLE_PROTOCOL=iss or disk: the first two start servers that order so; chain unless said.
# Build first: mvn -DskipTests package. What is downloaded is kept in target/clients.
set -euo pipefail

kazoo_version=2.10.0
# The last one that still has what kazoo's tests make their certificates with.
pyopenssl_version=23.2.0
go_zk_version=v1.0.4
kazoo_excluded=(
  # adds server 999 without permission; Chainkeeper's ids end at 255, and that is what it says first
  kazoo/tests/test_client.py::TestReconfig::test_no_super_auth
  # opens a session as soon as two of three servers have ended and does not try again; until the third has noticed, it
  # lets clients in
  kazoo/tests/test_connection.py::TestReadOnlyMode::test_read_only
)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$here/../target/clients
jars=$root/zookeeper-assembly/target/lib

need() {
  command -v "$1" >/dev/null || { echo "skipped: $1 is not on the PATH" >&2; exit 3; }
}

need_server() {
  ls "$jars"/*.jar >/dev/null 2>&1 || { echo "$jars holds no jars: run mvn -DskipTests package" >&2; exit 1; }
}

# kazoo, what its tests import, and its sources with the tests
install_kazoo() {
  need python3
  mkdir -p "$work"
  if [ ! -d "$work/python/puresasl" ]; then
    rm -rf "$work/python" "$work/python.new"
    python3 -m pip install -q --target "$work/python.new" "kazoo==$kazoo_version" pytest \
      pytest-timeout objgraph "pyOpenSSL==$pyopenssl_version" pyjks pure-sasl
    mv "$work/python.new" "$work/python"
  fi
  if [ ! -d "$work/kazoo-$kazoo_version" ]; then
    python3 -m pip download -q --no-deps --no-binary :all: -d "$work" "kazoo==$kazoo_version"
    tar -xzf "$work/kazoo-$kazoo_version.tar.gz" -C "$work"
  fi
}

# go-zookeeper's sources, writable, with their tests
install_go_zk() {
  need go
  mkdir -p "$work"
  if [ ! -d "$work/go-zk" ]; then
    (cd "$work" && GOFLAGS=-mod=mod go mod download "github.com/go-zookeeper/zk@$go_zk_version")
    cp -r "$(go env GOMODCACHE)/github.com/go-zookeeper/zk@$go_zk_version" "$work/go-zk"
    chmod -R u+w "$work/go-zk"
    # its reader of srvr knows only the date of old builds, not that of ZooKeeper 3.9
    sed -i -e 's#(.d.d/.d.d/.d.d.d.d .d.d:.d.d #([0-9/-]+ [0-9:]+ #' \
      -e 's#buildTime, err := time.Parse(.*#&\n\t\tif err != nil {\n\t\t\tbuildTime, err = time.Parse("2006-01-02 15:04 MST", match[1])\n\t\t}#' \
      "$work/go-zk/flw.go"
  fi
}

# Prints a directory for the disks that the servers of suite $1 share; those of its earlier runs are gone.
new_disks() {
  rm -rf "$work/disks-$1"
  mkdir -p "$work/disks-$1"
  (cd "$work/disks-$1" && pwd)
}

case "${1:-}" in
  kazoo-tests)
    shift
    need_server
    install_kazoo
    # kazoo starts "java ... QuorumPeerMain zoo.cfg"; the java of ./bin starts our main class with our protocol instead
    cd "$work/kazoo-$kazoo_version"
    CHAINKEEPER_BIN="$root/bin" CHAINKEEPER_DISKS=$(new_disks kazoo) CHAINKEEPER_JAVA=$(command -v java) \
      PATH="$here/bin:$PATH" PYTHONPATH="$work/python" ZOOKEEPER_CLASSPATH="$jars/*" ZOOKEEPER_VERSION=3.9.5 \
      python3 -m pytest -p no:cacheprovider "${kazoo_excluded[@]/#/--deselect=}" "${@:-kazoo/tests}"
    ;;
  go-tests)
    shift
    need_server
    install_go_zk
    # the tests start "zkServer.sh start-foreground zoo.cfg"; that of ./bin adds our protocol to the file
    cd "$work/go-zk"
    CHAINKEEPER_BIN="$root/bin" CHAINKEEPER_DISKS=$(new_disks go) ZOOKEEPER_BIN_PATH="$here/bin" ZK_VERSION=3.9.5 \
      go test -count=1 "${@:--v}" .
    ;;
  stock-go-tests)
    shift
    need_server
    install_go_zk
    cd "$work/go-zk"
    ZOOKEEPER_JARS="$jars" ZOOKEEPER_CONF="$root/conf" ZOOKEEPER_BIN_PATH="$here/stock-bin" ZK_VERSION=3.9.5 \
      go test -count=1 "${@:--v}" .
    ;;
  python)
    install_kazoo
    PYTHONPATH="$work/python" python3 "$here/kazoo_client.py" "${2:?give the servers: HOST:PORT,HOST:PORT,...}"
    ;;
  go)
    install_go_zk
    mkdir -p "$work/go-client"
    cp "$here/go_client.go" "$work/go-client/main.go"
    cd "$work/go-client"
    [ -f go.mod ] || { go mod init client; go mod edit -require "github.com/go-zookeeper/zk@$go_zk_version"; }
    GOFLAGS=-mod=mod go run . "${2:?give the servers: HOST:PORT,HOST:PORT,...}"
    ;;
  c)
    need cc
    [ -f /usr/include/zookeeper/zookeeper.h ] || { echo "skipped: libzookeeper-mt-dev is not installed" >&2; exit 3; }
    mkdir -p "$work"
    cc -Wall -DTHREADED -o "$work/c_client" "$here/c_client.c" -lzookeeper_mt
    "$work/c_client" "${2:?give two servers: HOST:PORT HOST:PORT}" "${3:?give two servers: HOST:PORT HOST:PORT}"
    ;;
  *)
    sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
