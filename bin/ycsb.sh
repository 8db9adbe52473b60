#!/usr/bin/env bash
# Runs YCSB against servers that speak ZooKeeper's client protocol.
#
#   bin/ycsb.sh load|run|shell zookeeper [-s] [-P file] [-p name=value] [-threads n] [-target n] [-jvm-args="..."] ...
#   bin/ycsb.sh load zookeeper -P workloads/workloada -p zookeeper.connectString=127.0.0.1:2181,127.0.0.1:2182
#   bin/ycsb.sh run  zookeeper -P workloads/workloada -p zookeeper.connectString=127.0.0.1:2181,127.0.0.1:2182 -threads 8
#
# The arguments are YCSB's own. Workload files are looked for where you are, then in ycsb-zk/. A progress line appears
# every five seconds (-p status.interval=N). docs/ycsb.md lists the binding's properties.
# YCSB_CLASSPATH: jars put first; with YCSB's own binding among them, -db site.ycsb.db.zookeeper.ZKClient chooses it.
# JAVA_HOME chooses the JVM, JAVA_OPTS are options for it.
set -euo pipefail

root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
module=$root/ycsb-zk
java=java
if [[ -n ${JAVA_HOME:-} ]]; then
    java=$JAVA_HOME/bin/java
fi

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

if [[ $# -lt 2 ]]; then
    usage
fi
command=$1
if [[ $2 != zookeeper ]]; then
    echo "ycsb.sh: unknown database '$2'; this YCSB has one binding: zookeeper" >&2
    usage
fi
shift 2
main=site.ycsb.Client
case $command in
    load) mode=(-load) ;;
    run) mode=(-t) ;;
    shell)
        main=site.ycsb.CommandLine
        mode=()
        ;;
    *)
        echo "ycsb.sh: unknown command '$command'; give load, run or shell" >&2
        usage
        ;;
esac

# YCSB itself would report a class that it does not find as a run without operations.
IFS=: read -r -a further_jars <<<"${YCSB_CLASSPATH:-}"
for file in "${further_jars[@]}"; do
    if [[ -n $file && $file != *'*' && ! -e $file ]]; then
        echo "ycsb.sh: YCSB_CLASSPATH names $file, which does not exist" >&2
        exit 2
    fi
done

read -r -a jvm_options <<<"${JAVA_OPTS:-}"
arguments=()
while [[ $# -gt 0 ]]; do
    case $1 in
        -jvm-args=*)
            read -r -a more <<<"${1#*=}"
            jvm_options+=("${more[@]}")
            ;;
        -jvm-args)
            read -r -a more <<<"${2:?-jvm-args needs a value}"
            jvm_options+=("${more[@]}")
            shift
            ;;
        -P)
            file=${2:?-P needs a file}
            if [[ ! -f $file && -f $module/$file ]]; then
                file=$module/$file
            fi
            if [[ ! -f $file ]]; then
                echo "ycsb.sh: no workload file $2, neither here nor in $module" >&2
                exit 2
            fi
            arguments+=(-P "$file")
            shift
            ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

if [[ ! -d $module/target/classes || ! -d $module/target/lib ]]; then
    if ! command -v mvn >/dev/null; then
        echo "ycsb.sh: mvn not found; install Maven to build the jars" >&2
        exit 1
    fi
    echo "Building (mvn package) ..." >&2
    (cd "$root" && mvn -q -B -DskipTests -Dspotless.check.skip=true -pl ycsb-zk -am package)
fi
class_path=$module/target/classes:$module/target/lib/*
if [[ -n ${YCSB_CLASSPATH:-} ]]; then
    class_path=$YCSB_CLASSPATH:$class_path
fi
defaults=()
if [[ $command != shell ]]; then
    defaults=(-s -p status.interval=5 -p measurementtype=hdrhistogram -p hdrhistogram.percentiles=50,95,99,99.9)
fi
exec "$java" "${jvm_options[@]}" -cp "$class_path" "$main" -db io.chainkeeper.ycsb.ZooKeeperBinding \
    "${defaults[@]}" "${arguments[@]}" "${mode[@]}"
