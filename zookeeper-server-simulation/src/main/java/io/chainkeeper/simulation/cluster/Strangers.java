package io.chainkeeper.simulation.cluster;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.simulation.host.BoundsChecker;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.TransportSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A server that an operator has started with the directory of another cluster, in the place of one that is down. The
 * others refuse it: it never has a link, so that it learns nothing from them and they learn nothing from it. One at a
 * time, and only while all others know their cluster: who has an empty directory joins whomever it reaches.
 */
public final class Strangers {
    private static final long THIS_CLUSTER = 1;
    private static final long OTHER_CLUSTER = 2;
    private static final int DISK_OF_ANOTHER = -1;

    private final Cluster cluster;
    private final List<Machine> machines;
    private final EventQueue events;
    private final Trace trace;
    private final HostMaker hosts;
    private final boolean haveFiles;
    private final boolean areAskedFor;

    /** Where the directory comes from; null if no stranger is there. */
    private Cluster origin;

    private SimulatedReplica stranger;

    /** Ids of the servers in whose place one is, or has been. */
    private final Set<Integer> places = new TreeSet<>();

    /**
     * @param cluster in which it starts
     * @param machines of all
     * @param events virtual time
     * @param trace told of it
     * @param hosts makes its host
     * @param areDrawn whether strangers come at all; if not, and nothing says so, links are not asked for the cluster
     * @param workload whether a server's own files say which cluster it belongs to
     */
    Strangers(
            Cluster cluster,
            List<Machine> machines,
            EventQueue events,
            Trace trace,
            HostMaker hosts,
            boolean areDrawn,
            Workload workload) {
        this.cluster = cluster;
        this.machines = machines;
        this.events = events;
        this.trace = trace;
        this.hosts = hosts;
        this.haveFiles = workload.keepsFiles();
        this.areAskedFor =
                (areDrawn || haveFiles) && machines.get(0).replica.follows(HostRule.OTHER_CLUSTERS_ARE_REFUSED);
    }

    /** The cluster that a replica's directory belongs to, as its links say. */
    LongSupplier clusterOf(Machine machine) {
        return () -> areAskedFor ? clusterOf(machine.replica, THIS_CLUSTER) : TransportSettings.UNKNOWN_CLUSTER;
    }

    /** As the product's server reads it, if there is one. */
    private long clusterOf(SimulatedReplica replica, long named) {
        if (!haveFiles) {
            return replica.knowsCluster() ? named : TransportSettings.UNKNOWN_CLUSTER;
        }
        try {
            ClusterIdentity identity =
                    ClusterIdentity.read(replica.log().disk().root().resolve(OrderingConfig.ORDERING_DIRECTORY));
            boolean isKnown = identity != null && identity.clusterId() != null;
            return isKnown ? identity.clusterId().getMostSignificantBits() : TransportSettings.UNKNOWN_CLUSTER;
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private boolean knowsCluster(Machine machine) {
        return clusterOf(machine.replica, THIS_CLUSTER) != TransportSettings.UNKNOWN_CLUSTER;
    }

    /** Whether a directory of the other cluster says so; one that does not is anybody's. */
    public boolean isTellingItsCluster(SimulatedReplica directory) {
        return clusterOf(directory, OTHER_CLUSTER) != TransportSettings.UNKNOWN_CLUSTER;
    }

    /** Whether a stranger is in a replica's place. */
    boolean isInPlaceOf(int id) {
        return stranger != null && stranger.id() == id;
    }

    /**
     * Whether one may be started in the place of a replica that is down by then. Whom the only participant refuses is
     * misplaced itself, as far as it can know, and stops.
     */
    public boolean mayCome(int id) {
        boolean isPlace =
                machines.get(id - 1).knownEnsemble >= 0 && !cluster.gone().contains(id);
        return stranger == null
                && isPlace
                && cluster.ensemble().participants().size() > 1
                && cluster.ensembles().known().stream().noneMatch(known -> isOnlyOne(known, id))
                && machines.stream()
                        .allMatch(machine -> machine.replica.id() == id
                                || machine.knownEnsemble < 0
                                || isDownForGood(machine)
                                || knowsCluster(machine));
    }

    /** Who only waits for its disk for good has links, and may be waiting with the name of its cluster. */
    private boolean isDownForGood(Machine machine) {
        return cluster.gone().contains(machine.replica.id()) && machine.replica.host() == null;
    }

    /**
     * Whether an ensemble may be configured: see {@link #mayCome}. A server may have stood still since a stranger
     * refused it, and take that for the word of whoever is in its place again.
     */
    public boolean mayBeConfigured(Ensemble next) {
        return places.stream().noneMatch(place -> isOnlyOne(next, place));
    }

    private static boolean isOnlyOne(Ensemble ensemble, int id) {
        return ensemble.participants().equals(List.of(id));
    }

    /** A cluster of the same servers, whose time, network and clients have nothing to do with this one's. */
    public Cluster anotherCluster(EventQueue time, Trace of, Workload clients, SplittableRandom random) {
        return hosts.anotherCluster(time, of, clients, random);
    }

    /**
     * One is started.
     *
     * @param other the other cluster, whose server with the same id is down; closed when the stranger has ended
     * @param directory of that server
     * @param application recovered from it
     */
    public void come(Cluster other, SimulatedReplica directory, StateMachine application) {
        int id = directory.id();
        trace.record(id, "starts with the directory of another cluster", 0, null);
        origin = other;
        stranger = directory;
        places.add(id);
        application.prepare(stranger);
        ReplicaHost host =
                hosts.make(stranger, cluster.file(id), application, List.of(), new Around(), other.checker());
        stranger.started(host);
        host.start();
        cluster.network().started(id);
    }

    /** The stranger that is there, if one is, is ended, and the operator starts the server with its own directory. */
    public void end() {
        if (stranger == null) {
            return;
        }
        int id = stranger.id();
        trace.record(id, "ends, with the directory of another cluster", 0, null);
        stranger.killed(0);
        cluster.network().crashed(id);
        close();
        events.after(1, () -> cluster.start(id));
    }

    /** A replica is about to start: one with an empty directory must not meet a stranger. */
    void starts(Machine machine) {
        if (stranger != null && !knowsCluster(machine)) {
            end();
        }
    }

    /** Nothing of it is needed any more. */
    void close() {
        if (origin != null) {
            origin.close();
        }
        origin = null;
        stranger = null;
    }

    /** What is around a stranger: time and links of this cluster, and nobody who brings it a state. */
    private final class Around implements World {
        @Override
        public long clockNanos(int id) {
            return cluster.clockNanos(id);
        }

        @Override
        public void workWaiting(ReplicaHost host, Part part, Reason reason, long nanos, Runnable piece) {
            cluster.workWaiting(host, part, reason, nanos, piece);
        }

        @Override
        public void linksWork(ReplicaHost host, Runnable task) {
            cluster.linksWork(host, task);
        }

        @Override
        public PeerTransport realLinks(int id, long incarnation, Supplier<FeatureLevel> level) {
            SimulatedReplica started = stranger;
            LongSupplier named =
                    () -> areAskedFor ? clusterOf(started, OTHER_CLUSTER) : TransportSettings.UNKNOWN_CLUSTER;
            return cluster.links(id, incarnation, DISK_OF_ANOTHER, level, named);
        }

        @Override
        public void send(ReplicaHost from, int to, long linkEpoch, byte[] frame) {
            throw new IllegalStateException("messages leave by the product's links");
        }

        @Override
        public void readAgain(ReplicaHost host, int peer) {
            throw new IllegalStateException("messages arrive by the product's links");
        }

        @Override
        public BoundsChecker bounds() {
            return cluster.bounds();
        }

        @Override
        public void logFailed(ReplicaHost host, IOException failure) {
            throw new InvariantViolated("replica " + host.id() + " stops: " + failure.getMessage());
        }

        @Override
        public boolean refused(ReplicaHost host, String message) {
            trace.record(host.id(), "stops, as the others refuse it", 0, message);
            return true;
        }

        @Override
        public void linked(ReplicaHost host, int peer) {
            throw new InvariantViolated("cluster: replica " + host.id()
                    + ", which has the directory of another cluster, is linked to replica " + peer);
        }

        @Override
        public void checkpointBegun(ReplicaHost host, Checkpoint checkpoint) {
            cluster.checkpointBegun(host, checkpoint);
        }

        @Override
        public void stateWanted(ReplicaHost host, int fromPeer, long position) {
            trace.record(host.id(), "is given no state by", fromPeer, null);
        }

        @Override
        public void superseded(ReplicaHost host, long incarnation) {
            trace.record(host.id(), "was superseded by", incarnation, null);
        }

        @Override
        public void statusChanged(ReplicaHost host, OrderingStatus status) {
            // Nobody asks it anything.
        }
    }
}
