package io.chainkeeper.main;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.transport.io.SocketRuntime;
import io.chainkeeper.transport.io.TransportRuntime;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What a replica stands on. A server process has the system's clocks, threads and sockets; a program that keeps
 * replicas for its tests may have others.
 *
 * @param ordering clocks and threads of the protocol, its log and the apply thread
 * @param server clocks and threads of what lies above the order: sessions, times to live, maintenance
 * @param links gives the links of each start their threads and sockets
 * @param disks given what opens the shared disks, in their order, returns what the replica is to use instead
 */
public record ReplicaPlatform(
        Scheduler ordering, Scheduler server, Supplier<TransportRuntime> links, UnaryOperator<List<DiskSource>> disks) {
    /** The system's. */
    public static final ReplicaPlatform OF_SYSTEM =
            new ReplicaPlatform(ThreadScheduler.INSTANCE, ThreadScheduler.INSTANCE, SocketRuntime::new);

    /** With the shared disks as they are. */
    public ReplicaPlatform(Scheduler ordering, Scheduler server, Supplier<TransportRuntime> links) {
        this(ordering, server, links, UnaryOperator.identity());
    }

    /** @return the same with other disks; see {@link #disks} */
    public ReplicaPlatform withDisks(UnaryOperator<List<DiskSource>> others) {
        return new ReplicaPlatform(ordering, server, links, others);
    }
}
