package io.chainkeeper.simulation.cluster;

import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.simulation.link.VirtualProcess;
import io.chainkeeper.transport.PeerTransport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What connects the replicas of a run: links of the simulator, or the product's over byte streams. */
public interface Network {
    /**
     * A replica is about to start.
     *
     * @param id of the replica
     * @param incarnation number of this start
     * @param disk number of its disk among those that it has had
     * @param clock its own
     * @param levels the feature levels that its release knows
     * @param level the feature level in force there
     * @param cluster the cluster that its directory belongs to, as {@code TransportSettings.clusterId}
     * @return the product's links, not started; null if links are the simulator's
     */
    default PeerTransport transport(
            int id,
            long incarnation,
            int disk,
            VirtualProcess.Clock clock,
            FeatureRange levels,
            Supplier<FeatureLevel> level,
            LongSupplier cluster) {
        return null;
    }

    /**
     * A message leaves, where links are the simulator's.
     *
     * @param from the sender
     * @param to the receiver
     * @param linkEpoch the link that the sender knew to be up when it sent
     * @param frame its bytes
     */
    default void send(int from, int to, long linkEpoch, byte[] frame) {
        throw new IllegalStateException("messages leave by the product's links");
    }

    /** A link is read again, where links are the simulator's. */
    default void readAgain(int replica, int peer) {
        throw new IllegalStateException("messages arrive by the product's links");
    }

    /** Breaks the connections of a pair. */
    void breakLink(int one, int other);

    /** Holds back what goes from one replica to another. */
    void cut(int from, int to);

    /** Ends a cut. */
    void heal(int from, int to);

    /** How many directions are cut. */
    int cuts();

    /** Makes one direction slower than the others; 1 for normal. */
    void slow(int from, int to, int factor);

    /** A replica has started: its peers can be connected to. */
    void started(int replica);

    /** A replica is gone: its connections break. */
    void crashed(int replica);

    /** A replica has ended in an orderly way, and has closed its connections, if it has any of its own. */
    default void ended(int replica) {
        crashed(replica);
    }

    /** A replica stands still until then. */
    void paused(int replica, long untilMicros);

    /** Whether two replicas can be connected and nothing that one sends the other is held back. */
    boolean reaches(int from, int to);

    /** Ends all cuts and slowness. */
    void healAll();

    /** The run is over. */
    default void end() {}
}
