#!/usr/bin/env bash
# Measures protocols side by side, or runs the JMH benchmarks. docs/benchmarks.md explains the figures.
#
#   bin/benchmark.sh writes|reads|latency|wide-area|storm|idle [option ...]   --help lists the options
#   bin/benchmark.sh failover|join [option ...]            what clients see when a server dies or joins
#   bin/benchmark.sh --preset NAME [option ...]            many runs, with one table, one CSV file and charts in the end
#   bin/benchmark.sh figures DIR                           one table, one CSV file and charts of several results
#   bin/benchmark.sh jmh [regex] [JMH option ...]
#   bin/benchmark.sh counts [protocol ...]             messages, records and batches, counted in virtual time
#
# JAVA_HOME chooses the JVM of the runner and of the servers. BENCHMARK_JVMFLAGS are further options of the runner's JVM.
#
# A preset that was interrupted goes on where it stopped when it is started again with the same --output: a run whose
# result is there is left out. Presets are:
#
#   quick        writes and linearizable reads at three replicas; about six minutes
#   paper        writes at 3, 5 and 7 replicas with curves of throughput and latency, reads of three kinds, one client:
#                figure 8 of the ChainPaxos paper; about three hours
#   reads        95 % and 50 % linearizable, 95 % sequential reads at 3 and 7 replicas
#   bandwidth    writes of 2048 B at 3, 5 and 7 replicas with network links of 50 Mbit/s: figure 5; in network
#                namespaces, which needs root
#   recovery     throughput over time around the death of a server: figure 10
#   iss          what it changes that every replica leads: latency of one client at three and six replicas, writes, idle
#                ensembles, the death of a leader; about an hour and a half
#   disk         Disk Paxos: beside chain and zab with three servers, then with two servers: writes, reads, one client, lanes,
#                and what it costs when one or more of its disks are slow; about forty minutes
#   wide-area    latency of writes and linearizable reads in each of five regions, over relays that delay as links between
#                data centers do: section 5.5; and in three regions with and without chain.zones; about forty minutes
#   page         the cells of docs/performance.md: writes of three sizes at 3, 5 and 7 replicas with curves, reads, one
#                client, narrow links, idle servers, the death of a leader, etcd if it is installed; about six hours
#   goals        the cells that goals are set for, without charts, each three intervals in one ensemble: writes, reads,
#                one client; about three and a half hours
#   scale        10 000 sessions, 100 000 watches, 4 million znodes, and 100 and 5000 sessions that come back at once; three
#                replicas with heaps of 2 and 3 GB, so it needs 16 GB of memory; about forty minutes
#   growth       how cost grows with the size of values, sessions, znodes and watches, memory per znode, a start with a
#                tree of 1 GB; three replicas with heaps of 2 GB, so it needs 12 GB of memory; about an hour and a half
#
# Options of a preset:
#
#   --output DIR        results and charts (default: benchmark-PRESET in the current directory)
#   --protocols A,B     values of ordering.protocol, the last is the base of ratios (default: chain,zab; iss, wide-area, page, goals: chain,iss,zab; disk: chain,disk,zab)
#   --rounds R          measurements of each protocol in a run (default: quick, disk, goals, growth and scale 1, others 3)
#   what follows --     options of every run, such as -- --cpu 0.1; they win over the preset's
#
# Durability is the same for all: a write is on disk at a quorum before it is acknowledged. Exit codes: 0 measured,
# 1 a run failed, 2 wrong command line, 3 measured, but some run was void.
set -euo pipefail

root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
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

# ---------------------------------------------------------------- presets

# parse_preset NAME [OPTION...]
parse_preset() {
    preset=${1:-}
    case $preset in
        quick | paper | reads | bandwidth | recovery | iss | disk | wide-area | page | goals | scale | growth) ;;
        *)
            echo "benchmark.sh: there is no preset '$preset'" >&2
            usage >&2
            exit 2
            ;;
    esac
    shift
    output=benchmark-$preset
    protocols=chain,zab
    case $preset in
        iss | wide-area | page | goals) protocols=chain,iss,zab ;;
        disk) protocols=chain,disk,zab ;;
    esac
    rounds=3
    case $preset in
        quick | disk | goals | growth | scale) rounds=1 ;;
    esac
    further=()
    while [[ $# -gt 0 ]]; do
        case $1 in
            --output | --protocols | --rounds)
                if [[ $# -lt 2 ]]; then
                    echo "benchmark.sh: $1 needs a value" >&2
                    exit 2
                fi
                printf -v "${1#--}" %s "$2"
                shift 2
                ;;
            -h | --help)
                usage
                exit 0
                ;;
            --)
                shift
                further=("$@")
                break
                ;;
            *)
                echo "benchmark.sh: unknown option '$1' of a preset" >&2
                exit 2
                ;;
        esac
    done
}

verdict=0
chosen=()

# Leaves out of a preset's options those that the user gives too: the user's win.
choose() {
    local option
    chosen=()
    while [[ $# -gt 0 ]]; do
        option=("$1")
        shift
        if [[ ${option[0]} == --* && $# -gt 0 && $1 != --* ]]; then
            option+=("$1")
            shift
        fi
        if [[ " ${further[*]} " != *" ${option[0]} "* ]]; then
            chosen+=("${option[@]}")
        fi
    done
}

# run NAME MODE OPTION...: NAME.json is the result. A run that fails is told and the next one is begun; it is measured
# again when the preset is started again.
run() {
    local name=$1 code=0
    shift
    if [[ -f $output/$name.json ]]; then
        echo "$name: there already"
        return
    fi
    echo "$name: $*"
    choose "$@"
    "$root/bin/benchmark.sh" "${chosen[@]}" --protocols "$protocols" --rounds "$rounds" \
        --output "$output/$name.json.part" "${further[@]}" || code=$?
    note "$name" "$code"
    if [[ $code -eq 0 ]]; then
        mv "$output/$name.json.part" "$output/$name.json"
    elif [[ $code -eq 3 ]]; then
        mv "$output/$name.json.part" "$output/$name.void"
    fi
}

note() {
    case $2 in
        0) ;;
        3) [[ $verdict -eq 0 ]] && verdict=3 ;;
        2 | 130 | 143) exit "$2" ;;
        *)
            echo "benchmark.sh: the run $1 failed (exit code $2)" >&2
            verdict=1
            ;;
    esac
    return 0
}

# What leaves the clients enough of two cores: they used up to 0.6.
quota() {
    case $1 in
        7) echo 0.15 ;;
        *) echo 0.2 ;;
    esac
}

preset_quick() {
    run writes-3 writes --seconds 10 --warmup-seconds 36
    run reads-95-3 reads --seconds 10 --warmup-seconds 36
}

preset_reads() {
    local replicas
    for replicas in 3 7; do
        run "reads-95-$replicas" reads --replicas "$replicas" --cpu "$(quota "$replicas")"
        run "reads-50-$replicas" reads --read-ratio 0.5 --replicas "$replicas" --cpu "$(quota "$replicas")"
        run "sequential-95-$replicas" reads --reads sequential --replicas "$replicas" --cpu "$(quota "$replicas")"
    done
}

preset_paper() {
    local replicas
    for replicas in 3 5 7; do
        # With 32 in flight Zab's leader of seven replicas is at its limit, the others are not.
        run "writes-$replicas" writes --replicas "$replicas" --cpu "$(quota "$replicas")" --outstanding 128 \
            --levels 1,2,4,8,16,32 --half-load
        run "latency-$replicas" latency --replicas "$replicas"
    done
    preset_reads
    run idle-3 idle
}

# A link so narrow that it is full before two cores are.
preset_bandwidth() {
    local replicas
    for replicas in 3 5 7; do
        run "bandwidth-$replicas" writes --replicas "$replicas" --cpu 0 --link-mbit 50 --value-bytes 2048
    done
}

preset_recovery() {
    failover --replicas 3,5 --rate 500
}

preset_iss() {
    local replicas
    for replicas in 3 6; do
        run "latency-$replicas" latency --replicas "$replicas"
    done
    run writes-3 writes --replicas 3 --cpu "$(quota 3)" --half-load
    run idle-3 idle
    failover --replicas 3 --victims leader --rate 500
}

preset_disk() {
    local lanes delays load=(--seconds 8 --warmup-seconds 60 --outstanding 64) one=(--seconds 4 --warmup-seconds 6)
    # Without a quota: what differs is how long disks take, and compilers are done sooner.
    local free=(--seconds 8 --warmup-seconds 12 --replicas 2 --cpu 0)
    run writes-3 writes "${load[@]}"
    run reads-95-3 reads "${load[@]}"
    run latency-3 latency "${one[@]}"
    # Only this protocol goes on with one of two servers.
    protocols=disk
    run writes-2 writes "${load[@]}" --replicas 2
    run reads-95-2 reads "${load[@]}" --replicas 2
    run latency-2 latency "${one[@]}" --replicas 2
    # As the figure over lanes in "Consensus in high performance computing": each write is a batch of its own.
    for lanes in 1 2 4 8 16 32; do
        run "lanes-$lanes" writes "${free[@]}" --config "disk.lanes=$lanes,disk.maxBatchCommands=1"
    done
    # The slowest of three disks, a majority of them, all.
    for delays in 0,0,5 0,5,5 5,5,5; do
        run "slow-latency-$delays" latency "${one[@]}" --replicas 2 --disk-delay-ms "$delays"
        run "slow-writes-$delays" writes "${free[@]}" --disk-delay-ms "$delays"
    done
    for lanes in 1 16; do
        run "slow-lanes-$lanes" writes "${free[@]}" --disk-delay-ms 5,5,5 --config "disk.lanes=$lanes"
    done
}

# Eight sessions in each region. The second and third run have their servers numbered so that neighbours stand apart.
preset_wide_area() {
    local common=(wide-area --seconds 30 --warmup-seconds 30 --sessions 40)
    local three=(--regions "frankfurt,virginia,sao-paulo,frankfurt,virginia")
    run wide-area-5-regions "${common[@]}"
    run wide-area-3-regions "${common[@]}" "${three[@]}"
    run wide-area-3-regions-zones "${common[@]}" "${three[@]}" --zones
}

preset_page() {
    local replicas percent with_etcd=${protocols%,*},etcd,${protocols##*,}
    protocols=$with_etcd run writes-3 writes --cpu "$(quota 3)" --outstanding 64 --levels 1,4,16,32 --half-load
    run latency-3 latency
    for replicas in 5 7; do
        run "writes-$replicas" writes --replicas "$replicas" --cpu "$(quota "$replicas")" --outstanding 64 \
            --levels 1,4,16,32 --half-load
        run "latency-$replicas" latency --replicas "$replicas"
    done
    for replicas in 3 7; do
        for percent in 95 50; do
            run "reads-$percent-$replicas" reads --read-ratio "0.$percent" --replicas "$replicas" \
                --cpu "$(quota "$replicas")"
            run "sequential-$percent-$replicas" reads --read-ratio "0.$percent" --reads sequential \
                --replicas "$replicas" --cpu "$(quota "$replicas")"
        done
        run "writes-4k-$replicas" writes --replicas "$replicas" --cpu "$(quota "$replicas")" --value-bytes 4096
        run "writes-64k-$replicas" writes --replicas "$replicas" --cpu "$(quota "$replicas")" --value-bytes 65536 \
            --outstanding 4
    done
    preset_bandwidth
    run idle-3 idle
    failover --replicas 3 --victims leader --rate 500
}

# What a server compiles is at rest after about 100 s of load without a quota, with one client sooner.
preset_goals() {
    local replicas percent cpu with_etcd=${protocols%,*},etcd,${protocols##*,}
    local load=(--intervals 3 --seconds 5 --warmup-seconds 110) one=(--intervals 3 --seconds 4 --warmup-seconds 50)
    local many=("${load[@]}" --outstanding 64 --levels 16)
    protocols=$with_etcd run writes-3 writes --cpu "$(quota 3)" "${many[@]}"
    run latency-3 latency "${one[@]}"
    for replicas in 7 5; do
        run "writes-$replicas" writes --replicas "$replicas" --cpu "$(quota "$replicas")" "${many[@]}"
        run "latency-$replicas" latency --replicas "$replicas" "${one[@]}"
    done
    for replicas in 3 7; do
        cpu=$(quota "$replicas")
        for percent in 50 95; do
            run "reads-$percent-$replicas" reads --read-ratio "0.$percent" --replicas "$replicas" --cpu "$cpu" \
                "${load[@]}"
            run "sequential-$percent-$replicas" reads --read-ratio "0.$percent" --reads sequential \
                --replicas "$replicas" --cpu "$cpu" "${load[@]}"
        done
        run "writes-64k-$replicas" writes --replicas "$replicas" --cpu "$cpu" --value-bytes 65536 --outstanding 4 \
            "${load[@]}"
        run "writes-4k-$replicas" writes --replicas "$replicas" --cpu "$cpu" --value-bytes 4096 "${load[@]}"
    done
}

preset_scale() {
    local amount common=(writes --seconds 10 --warmup-seconds 60 --heap 2g)
    run scale-base "${common[@]}"
    run scale-sessions "${common[@]}" --idle-sessions 10000
    run scale-watches "${common[@]}" --keys 100000 --watches 100000
    run scale-znodes "${common[@]/2g/3g}" --znodes 4000000
    for amount in 100 5000; do
        run "storm-$amount" storm --idle-sessions "$amount" --seconds 10 --warmup-seconds 30
    done
}

# Each run differs from the first in one amount. What is in flight stays about the same: many sessions, few operations each.
preset_growth() {
    local amount common=(writes --seconds 10 --warmup-seconds 90 --heap 2g --stages)
    run growth-base "${common[@]}"
    for amount in 1024 16384 65536; do
        run "growth-value-bytes-$amount" "${common[@]}" --value-bytes "$amount"
    done
    run growth-sessions-96 "${common[@]}" --sessions 96 --outstanding 4
    run growth-sessions-480 "${common[@]}" --sessions 480 --outstanding 1
    for amount in 99000 999000; do
        run "growth-znodes-$amount" "${common[@]}" --znodes "$amount"
    done
    for amount in 1000 10000; do
        run "growth-watches-$amount" "${common[@]}" --watches "$amount"
    done
    # A writer or two, so that the server that starts has something to catch up with, and hardly any load.
    failover --replicas 3 --victims tail --tree-mb 1000 --heap 3g --rate 10 --seconds 5 --down-seconds 3
}

failover() {
    local code=0 i options=()
    # Runs with faults have neither stages nor intervals of one kind.
    for ((i = 0; i < ${#further[@]}; i++)); do
        case ${further[i]} in
            --stages) ;;
            --intervals) i=$((i + 1)) ;;
            *) options+=("${further[i]}") ;;
        esac
    done
    if [[ -f $output/throughput.csv ]]; then
        echo "recovery: there already"
        return
    fi
    choose "$@"
    "$root/bin/benchmark.sh" failover "${chosen[@]}" --protocols "$protocols" --rounds "$rounds" \
        --output "$output/recovery" "${options[@]}" || code=$?
    note recovery "$code"
    if [[ $code -eq 0 || $code -eq 3 ]]; then
        mv "$output/recovery/rounds.csv" "$output/recovery/throughput.csv" "$output/"
        mv "$output/recovery/run.json" "$output/recovery-machine.txt"
        rmdir "$output/recovery"
    fi
}

run_preset() {
    mkdir -p "$output"
    "preset_${preset//-/_}"
    if compgen -G "$output/*.json" >/dev/null || [[ -f $output/throughput.csv ]]; then
        "$root/bin/benchmark.sh" figures "$output" || verdict=1
    fi
    exit "$verdict"
}

# ---------------------------------------------------------------- one run

if [[ $# -eq 0 || $1 == -h ]]; then
    usage >&2
    exit 2
fi
if [[ $1 == --preset ]]; then
    shift
    parse_preset "$@"
    build_if_stale
    run_preset
fi
build_if_stale
# A session that comes back holds its old connection and the new one, here and at the servers.
ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"
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

if [[ $1 == counts ]]; then
    shift
    exec "$java" "${flags[@]}" -cp "$class_path" io.chainkeeper.benchmarks.counts.OrderingCounts "$@"
fi

arguments=("$@")
if [[ $1 != figures && " $* " != *" --lib "* && " $* " != *" --help "* ]]; then
    arguments+=(--lib "$server_lib")
fi
# exec: a signal for this script is one for the runner, which removes what it started
exec "$java" "${flags[@]}" -cp "$class_path" io.chainkeeper.benchmarks.BenchmarkMain "${arguments[@]}"
