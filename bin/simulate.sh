#!/bin/sh
# Runs the deterministic simulator. Examples:
#   bin/simulate.sh --protocol chain --seed 42            replay one seed
#   bin/simulate.sh --application znodes --seed 42        the same with the server's executor, sessions and watches
#   bin/simulate.sh --application behind --seed 42        a minority that was left behind comes back one by one
#   bin/simulate.sh --application founding --seed 42      servers come one by one and lose disks while they found the cluster
#   bin/simulate.sh --application deposed --seed 42       a leader that does not notice that it is deposed comes back
#   bin/simulate.sh --application minority --seed 42      a minority is down for good
#   bin/simulate.sh --application ambush --seed 42        faults come when rare messages leave
#   bin/simulate.sh --application members --seed 42       the same to small ensembles that change all the time
#   bin/simulate.sh --application upgrade --seed 42       servers of two releases, upgraded one by one, and back
#   bin/simulate.sh --application takeover --seed 42      something goes wrong when others finish a leader's work
#   bin/simulate.sh --application outdated --seed 42      what was never decided meets what has taken its place
#   bin/simulate.sh --mutants                             take out each safety rule in turn, count seeds
#   bin/simulate.sh --protocol chain --seconds 3600       soak with fresh seeds for an hour
#   bin/simulate.sh --seed 1 --survey 5000                run 5000 seeds, one line per failure
#   bin/simulate.sh --seed 42 --trace run.json            a timeline of one seed: run.json, and run.html for a browser
#   bin/simulate.sh --soak --seconds 3600 --directory d   all cores, protocols and applications; goes on where d stopped
# All options: io.chainkeeper.simulation.Simulate and io.chainkeeper.simulation.soak.Soak.
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
libraries="$root/zookeeper-assembly/target/lib"
# A replay against yesterday's classes misleads, so they are brought up to date first; SIMULATE_BUILD=0 leaves that out.
if [ "${SIMULATE_BUILD:-1}" != 0 ]; then
    command -v mvn >/dev/null || {
        echo "simulate.sh: mvn not found; install Maven to build the classes" >&2
        exit 1
    }
    (cd "$root" && mvn -q -B -pl zookeeper-server-simulation -am -Dspotless.check.skip=true compile)
    # ZooKeeper's own jars, which the executor needs.
    [ -d "$libraries" ] ||
        (cd "$root" && mvn -q -B -pl zookeeper-assembly -am -Dspotless.check.skip=true -DskipTests package)
fi
classes=""
for module in "$root"/zookeeper-server-*/target/classes; do
    classes="$classes:$module"
done
command=io.chainkeeper.simulation.Simulate
memory=""
if [ "${1:-}" = --soak ]; then
    command=io.chainkeeper.simulation.soak.Soak
    memory="-Xmx128m -XX:+UseSerialGC" # seeds run in processes of their own
    shift
fi
# Half of the time of a hundred seeds would go into the second compiler.
# shellcheck disable=SC2086
exec java -XX:TieredStopAtLevel=1 $memory -Dlogback.configurationFile=logback-simulation.xml \
    -cp "${classes#:}:$libraries/*" "$command" "$@"
