package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.time.Trace;
import java.util.SplittableRandom;

/** How the processes of replicas end: by a crash, or as an operator stops them. */
public final class Ending {
    private final Cluster cluster;
    private final SplittableRandom random;
    private final Trace trace;

    /**
     * @param cluster where they live
     * @param random how much of what is not durable survives a crash
     * @param trace told of every end
     */
    Ending(Cluster cluster, SplittableRandom random, Trace trace) {
        this.cluster = cluster;
        this.random = random;
        this.trace = trace;
    }

    /** See {@link Cluster#crash}. */
    boolean crash(int id) {
        SimulatedReplica replica = cluster.replica(id);
        if (!replica.isRunning()) {
            return false;
        }
        int unstable = replica.log().unstableCount();
        int survivors = unstable == 0 || random.nextBoolean() ? 0 : random.nextInt(unstable + 1);
        String how = replica.crashed(survivors) ? unstable + ", as the power is lost" : Integer.toString(unstable);
        trace.record(
                id, "crashes; unstable records that survive:", replica.log().survivors(), "of " + how);
        cluster.network().crashed(id);
        return true;
    }

    /**
     * A replica that runs is killed.
     *
     * @param id of the replica
     * @param survivors how many of its records that are not durable the system had been given, at least
     */
    public void kill(int id, int survivors) {
        SimulatedReplica replica = cluster.replica(id);
        if (replica.isRunning()) {
            int unstable = replica.log().unstableCount();
            replica.killed(survivors);
            trace.record(
                    id,
                    "is killed; unstable records that survive:",
                    replica.log().survivors(),
                    "of " + unstable);
            cluster.network().crashed(id);
        }
    }

    /** A server that was told to stop lets its clients go. */
    public void letClientsGo(ReplicaHost host) {
        trace.record(host.id(), "lets its clients go", 0, null);
        host.application().letClientsGo();
    }

    /**
     * A server that was told to stop ends, in an orderly way as the product does. If it cannot, because a disk fails or
     * gives no answer, it is killed.
     *
     * @param host of the server, which lives
     */
    public void close(ReplicaHost host) {
        int id = host.id();
        if (host.isWaiting() || isHeldUp(id)) {
            crash(id);
            return;
        }
        host.application().close(host);
        if (!ended(id)) {
            crash(id);
        }
    }

    /**
     * A server that has closed everything is gone.
     *
     * @return false if it is not, because it could not close everything: its disk has failed
     */
    boolean ended(int id) {
        SimulatedReplica replica = cluster.replica(id);
        InvariantViolated.check(replica.host().isClosed(), "replica %d has ended, but its order has not", id);
        if (replica.log().disk().hasFailed()) {
            return false;
        }
        trace.record(id, "ends in an orderly way", 0, null);
        replica.closed();
        cluster.network().ended(id);
        return true;
    }

    private boolean isHeldUp(int id) {
        HangingDisks hangs = cluster.hangingDisks();
        boolean isHeldUp = hangs.isHeldUp(id, Part.LOG_WRITER, HangingDisks.OWN)
                || hangs.isHeldUp(id, Part.LOG_READER, HangingDisks.OWN);
        for (int disk = 0; disk < cluster.sharedDisks().count(); disk++) {
            isHeldUp |= hangs.isHeldUp(id, Part.SHARED_DISK, disk);
        }
        return isHeldUp;
    }

    /** Faults have stopped: a server that was told to stop does so now. */
    void calm(int id) {
        ReplicaHost host = cluster.host(id);
        if (host != null && host.isLeaving()) {
            letClientsGo(host);
            close(host);
        }
    }
}
