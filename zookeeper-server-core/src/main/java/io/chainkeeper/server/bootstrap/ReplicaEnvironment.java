package io.chainkeeper.server.bootstrap;

import io.chainkeeper.server.maintenance.Divergence;
import io.chainkeeper.server.maintenance.MaintenanceListener;
import io.chainkeeper.server.maintenance.Naming;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.storage.Checkpoints;
import io.chainkeeper.server.zookeeper.SnapshotNow;
import java.nio.file.Path;

/**
 * What lies around a {@link ReplicaAssembly}: the files that it writes, the members that its state comes from, and
 * those who look at it. The methods that return an object are called once, while the assembly is put together.
 */
interface ReplicaEnvironment extends MaintenanceListener {
    /** @return when checkpoints are taken, and by whom */
    Checkpoints checkpoints();

    /** @return takes a snapshot that somebody has asked for */
    SnapshotNow snapshots();

    /** @return keeps the cluster's name */
    Naming naming();

    /** @return acts when the replicas' states differ */
    Divergence divergence();

    /** @return serves clients that can do without the order */
    ServingPolicy.WithoutOrder withoutOrder();

    /** @return the main configuration file, which a {@code reconfig} rewrites; null for none */
    Path configurationFile();

    /** @return version of the configuration that peer and files have at the start; -1 for none */
    long shownConfiguration();

    /**
     * Maintenance thread.
     *
     * @param member replica id
     * @return whether it can be reached
     */
    boolean isLinked(int member);

    /** @return bytes of states that came from members since the start; maintenance thread */
    long transferredBytes();

    /**
     * Ordering thread: no log holds what this replica needs next.
     *
     * @param fromPeer who has the state
     * @param position needed
     */
    void stateNeeded(int fromPeer, long position);

    /** Ordering thread: a snapshot should be written soon, as the order cannot keep all since the last for long. */
    void checkpointWanted();

    /**
     * Maintenance thread: this replica's state is not the cluster's.
     *
     * @param fromPeer who is asked for its own
     * @param position of that state, or a later one
     */
    void replaceState(int fromPeer, long position);

    /**
     * Apply thread: the order holds commands of a later start of this replica.
     *
     * @param incarnation of that start
     */
    void superseded(long incarnation);
}
