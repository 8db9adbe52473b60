package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.host.ProcFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Counters of the machine and of everything that takes part in a measurement, at one moment.
 *
 * @param nanos {@link System#nanoTime}
 * @param operations operations that have succeeded
 * @param servers in the order of their ids
 * @param clientMicros CPU of this process
 * @param system CPU of the machine
 */
public record UsageSample(
        long nanos, long operations, List<ServerCounters> servers, long clientMicros, ProcFiles.SystemCpu system) {
    /**
     * @param cpuMicros of the process, in clock ticks
     * @param groupMicros of its group, exact, if there is such accounting
     * @param compilerMicros of its JIT compilers
     * @param writtenBytes to block devices
     * @param residentBytes physical memory held at this moment
     * @param sentBytes over its network link; meaningful only if it has one of its own
     */
    public record ServerCounters(
            long cpuMicros,
            OptionalLong groupMicros,
            long compilerMicros,
            long writtenBytes,
            long residentBytes,
            long sentBytes) {}

    /**
     * What a server used in an interval.
     *
     * @param cpuMicros CPU time, from the group's exact accounting if there is one
     * @param tickMicros CPU time by /proc, for comparison
     * @param writtenBytes to block devices
     * @param residentBytes physical memory held at the end
     * @param sentBytes over its network link; meaningful only if it has one of its own
     */
    public record ServerUse(
            double cpuMicros, double tickMicros, long writtenBytes, long residentBytes, long sentBytes) {}

    /**
     * What was used in an interval.
     *
     * @param seconds its length
     * @param operations that succeeded
     * @param servers in the order of their ids
     * @param compilerShare JIT compilers' share of the servers' CPU
     * @param clientCores CPU of this process
     * @param otherCores CPU of processes that do not belong to the measurement
     * @param stealShare share of the machine's CPU that the hypervisor took
     */
    public record Use(
            double seconds,
            long operations,
            List<ServerUse> servers,
            double compilerShare,
            double clientCores,
            double otherCores,
            double stealShare) {
        /** @return throughput */
        public double operationsPerSecond() {
            return operations / seconds;
        }

        /** @return cores that the servers' JIT compilers used */
        public double compilerCores() {
            double serverMicros =
                    servers.stream().mapToDouble(ServerUse::tickMicros).sum();
            return compilerShare * serverMicros / TimeUnit.SECONDS.toMicros(1) / seconds;
        }
    }

    /**
     * Reads all counters.
     *
     * @param proc where from
     * @param servers the servers
     * @param operations operations that have succeeded
     * @return the sample
     * @throws IOException if a server has ended
     */
    public static UsageSample take(ProcFiles proc, List<ServerProcess> servers, long operations) throws IOException {
        List<ServerCounters> counters = new ArrayList<>();
        for (ServerProcess server : servers) {
            server.checkAlive();
            try {
                counters.add(countersOf(proc, server));
            } catch (IOException e) {
                throw server.explained(e);
            }
        }
        return new UsageSample(
                System.nanoTime(),
                operations,
                counters,
                proc.processCpuMicros(ProcessHandle.current().pid()),
                proc.systemCpu());
    }

    private static ServerCounters countersOf(ProcFiles proc, ServerProcess server) throws IOException {
        return new ServerCounters(
                proc.processCpuMicros(server.pid()),
                server.groupCpuMicros(),
                proc.compilerCpuMicros(server.pid()),
                proc.writtenBytes(server.pid()),
                proc.residentBytes(server.pid()),
                proc.sentBytes(server.pid()));
    }

    /**
     * The difference to a later sample.
     *
     * @param later of the same servers
     * @return what happened between the two
     */
    public Use until(UsageSample later) {
        double wallMicros = (later.nanos - nanos) / (double) TimeUnit.MICROSECONDS.toNanos(1);
        List<ServerUse> uses = new ArrayList<>();
        double serverMicros = 0;
        double compilerMicros = 0;
        for (int i = 0; i < servers.size(); i++) {
            ServerCounters before = servers.get(i);
            ServerCounters after = later.servers.get(i);
            double ticks = after.cpuMicros - before.cpuMicros;
            double exact = before.groupMicros.isPresent() && after.groupMicros.isPresent()
                    ? after.groupMicros.getAsLong() - before.groupMicros.getAsLong()
                    : ticks;
            serverMicros += ticks;
            // A compiler thread that ended took its time with it; the JVM ends them when there is nothing to compile.
            compilerMicros += Math.max(0, after.compilerMicros - before.compilerMicros);
            uses.add(new ServerUse(
                    exact,
                    ticks,
                    after.writtenBytes - before.writtenBytes,
                    after.residentBytes,
                    after.sentBytes - before.sentBytes));
        }
        double clientUsed = later.clientMicros - clientMicros;
        double total = later.system.totalMicros() - system.totalMicros();
        double processes = later.system.processMicros() - system.processMicros();
        return new Use(
                wallMicros / TimeUnit.SECONDS.toMicros(1),
                later.operations - operations,
                uses,
                serverMicros == 0 ? 0 : compilerMicros / serverMicros,
                clientUsed / wallMicros,
                Math.max(0, processes - serverMicros - clientUsed) / wallMicros,
                total == 0 ? 0 : (later.system.stealMicros() - system.stealMicros()) / total);
    }
}
