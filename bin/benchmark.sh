#!/usr/bin/env bash
# Measures protocols side by side, or runs the JMH benchmarks. docs/benchmarks.md explains the figures.
#
#   bin/benchmark.sh writes|reads|latency|idle [option ...]    --help lists the options
#   bin/benchmark.sh failover|join [option ...]                what clients see when a server dies or joins
#   bin/benchmark.sh figures DIR                           one table, one CSV file and charts of several results
#   bin/benchmark.sh jmh [regex] [JMH option ...]
#
# JAVA_HOME chooses the JVM of the runner and of the servers. BENCHMARK_JVMFLAGS are further options of the runner's JVM.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
module=$root/zookeeper-benchmarks
server_lib=$root/zookeeper-assembly/target/lib
java=java
if [[ -n ${JAVA_HOME:-} ]]; then
    java=$JAVA_HOME/bin/java
fi

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

# What is measured must be what the sources say: builds if there is no build or it is older than a source file.
build_if_stale() {
    local stamp=$module/target/benchmark-build
    if [[ ! -f $stamp || ! -d $module/target/lib || ! -d $server_lib ||
        -n $(find "$root" -path '*/target' -prune -o \( -path '*/src/main/*' -o -name pom.xml \) -newer "$stamp" -print -quit) ]]; then
        if ! command -v mvn >/dev/null; then
            echo "benchmark.sh: mvn not found; install Maven to build the jars" >&2
            exit 1
        fi
        echo "Building (mvn package) ..." >&2
        (cd "$root" && mvn -q -B -DskipTests -Dspotless.check.skip=true \
            -pl zookeeper-benchmarks,zookeeper-assembly -am package)
        touch "$stamp"
    fi
}

if [[ $# -eq 0 || $1 == -h ]]; then
    usage >&2
    exit 2
fi
build_if_stale
class_path="$module/target/classes:$module/target/lib/*"
read -r -a flags <<<"${BENCHMARK_JVMFLAGS:-}"

if [[ $1 == jmh ]]; then
    shift
    regex='io\.chainkeeper\..*'
    if [[ $# -gt 0 && $1 != -* ]]; then
        regex=$1
        shift
    fi
    exec "$java" "${flags[@]}" -cp "$class_path" org.openjdk.jmh.Main "$regex" -prof gc "$@"
fi

arguments=("$@")
if [[ $1 != figures && " $* " != *" --lib "* && " $* " != *" --help "* ]]; then
    arguments+=(--lib "$server_lib")
fi
# exec: a signal for this script is one for the runner, which removes what it started
exec "$java" "${flags[@]}" -cp "$class_path" io.chainkeeper.benchmarks.BenchmarkMain "${arguments[@]}"
