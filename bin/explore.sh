#!/bin/sh
# Explores every order of events within small scopes, on the real protocol objects. Examples:
#   bin/explore.sh                                        all named scopes, as the build does
#   bin/explore.sh --scope leader-crash --restarts 1      a named scope, made larger
#   bin/explore.sh --protocol disk                        those of Disk Paxos: servers that share disks
#   bin/explore.sh --writes 1,1,0 --breaks 2 --depth 30   a scope of one's own, up to 30 steps
#   bin/explore.sh --scope leader-crash --replay "..."    run a schedule and print what happens
# All options: io.chainkeeper.simulation.explore.Explore. EXPLORE_MEMORY is the heap, default 2g.
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
# A replay against yesterday's classes misleads, so they are brought up to date first; EXPLORE_BUILD=0 leaves that out.
if [ "${EXPLORE_BUILD:-1}" != 0 ]; then
    command -v mvn >/dev/null || {
        echo "explore.sh: mvn not found; install Maven to build the classes" >&2
        exit 1
    }
    (cd "$root" && mvn -q -B -pl zookeeper-server-simulation -am -Dspotless.check.skip=true compile)
fi
classes=""
for module in "$root"/zookeeper-server-*/target/classes; do
    classes="$classes:$module"
done
exec java -Xmx"${EXPLORE_MEMORY:-2g}" -cp "${classes#:}" io.chainkeeper.simulation.explore.Explore "$@"
