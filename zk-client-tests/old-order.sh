#!/usr/bin/env bash
# Makes src/test/resources/old-data/chainkeeper-PROTOCOL.zip anew: data directories and acceptor logs of an ensemble of an
# earlier release of this project, for OldOrderTest. Needs that release's source tree and this one, both built
# (mvn -q package -DskipTests).
# Usage: zk-client-tests/old-order.sh HOME_OF_THE_RELEASE [PROTOCOL ...]

set -euo pipefail
home="$(cd "${1:?the built source tree of the release}" && pwd)"
shift
cd "$(dirname "${BASH_SOURCE[0]}")"
if (($# == 0)); then
  set -- chain iss
fi
[[ -d target/test-classes ]] || {
  echo "Error: no classes in $(pwd)/target/test-classes; build them with: mvn -q -DskipTests package" >&2
  exit 1
}
# the harness of the tests is a JUnit rule as well
mvn -B -q dependency:copy -Dartifact=junit:junit:4.13.2 "-DoutputDirectory=$(pwd)/target/old-order/lib"
for protocol in "$@"; do
  work="target/old-order/$protocol"
  rm -rf "$work"
  mkdir -p "$work"
  java "-Densemble.home=$home" \
    -cp "target/test-classes:../zookeeper-server-replica/target/test-classes:../zookeeper-assembly/target/lib/*:target/old-order/lib/*" \
    io.chainkeeper.clienttests.harness.OldOrderMaker "$protocol" "$work/content" \
    "src/test/resources/old-data/chainkeeper-$protocol.zip"
done
