package io.chainkeeper.simulation.cluster;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.simulation.disk.SimulatedDisk;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.StartRefused;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** Recovers the application of a replica that starts, unless its server refuses to: then its operator helps. */
public final class Starting {
    private static final String IDENTITY = OrderingConfig.ORDERING_DIRECTORY + "/" + ClusterIdentity.FILE_NAME;

    private final Cluster cluster;
    private final List<Machine> machines;
    private final Workload workload;
    private final SplittableRandom random;
    private final Trace trace;
    private final EventQueue events;
    private final Delays delays;

    /** Whose directory is handed to the server that starts, null for its own. */
    private Machine mistaken;

    /**
     * @param cluster where replicas live
     * @param machines of all
     * @param workload their applications
     * @param random draws the checkpoint that recovery begins with
     * @param trace told of starts that do not come to their end
     * @param events virtual time
     * @param delays how long repairs take
     */
    Starting(
            Cluster cluster,
            List<Machine> machines,
            Workload workload,
            SplittableRandom random,
            Trace trace,
            EventQueue events,
            Delays delays) {
        this.cluster = cluster;
        this.machines = machines;
        this.workload = workload;
        this.random = random;
        this.trace = trace;
        this.events = events;
        this.delays = delays;
    }

    /** Returns null if the server does not start: without shared disks that it needs, if there is no list of them. */
    StateMachine recover(Machine machine, List<DiskSource> sharedDisks) {
        if (sharedDisks == null) {
            startRepaired(machine.replica.id());
            return null;
        }
        if (!workload.keepsFiles()) {
            machine.replica.beginStart();
            return workload.recover(cluster, machine.replica.id(), CheckpointChoice.of(machine, machines, random));
        }
        int id = machine.replica.id();
        boolean mustRefuse = cluster.releases().mustRefuse(id);
        long before = mustRefuse ? machine.replica.log().disk().contentHash() : 0;
        try {
            if (machine.replica.stopsRecovering(() -> recoverFiles(machine))) {
                trace.record(id, "stops in the middle of its start", 0, null);
            }
            StateMachine application = recoverFiles(machine);
            InvariantViolated.check(
                    !mustRefuse,
                    "feature level: replica %d starts with a release that knows %s, its disk has gone further",
                    id,
                    cluster.releases().levels(id));
            return application;
        } catch (StartRefused refused) {
            refused(machine, refused, mustRefuse, before);
            return null;
        }
    }

    private void refused(Machine machine, StartRefused refused, boolean mustRefuse, long before) {
        int id = machine.replica.id();
        trace.record(id, "refuses to start", 0, refused.getMessage());
        if (!workload.isOtherRelease(id)) {
            throw new InvariantViolated("replica " + id + " does not start: " + refused.getMessage());
        }
        InvariantViolated.check(
                !mustRefuse || before == machine.replica.log().disk().contentHash(),
                "feature level: replica %d changes its directory although it does not start: %s",
                id,
                refused.getMessage());
        cluster.releases().install(id, Upgrades.PRESENT);
        startRepaired(id);
    }

    /** A server ends itself in a moment, and is started again by an operator who has looked after it. */
    void endRepaired(ReplicaHost host) {
        events.after(0, () -> {
            if (host.isAlive()) {
                cluster.crash(host.id());
                startRepaired(host.id());
            }
        });
    }

    /** A replica has ended in an orderly way, because it wants to start again. */
    public void startAgain(int id) {
        SimulatedReplica replica = cluster.replica(id);
        trace.record(id, "starts again", 0, null);
        if (!replica.host().isClosed() || !cluster.ending().ended(id)) {
            replica.crashed(replica.log().unstableCount());
            cluster.network().crashed(id);
        }
        events.after(delays.handOverMicros(), () -> cluster.start(id));
    }

    /** The order holds a later start of a replica than the one that runs: it starts above that in a moment. */
    void superseded(ReplicaHost host, long incarnation) {
        if (!host.replica().follows(HostRule.SUPERSEDED_REPLICA_STARTS_ABOVE)) {
            return;
        }
        events.after(delays.handOverMicros(), () -> {
            if (host.isAlive()) {
                cluster.crash(host.id());
                host.replica().startAbove(incarnation);
                cluster.start(host.id());
            }
        });
    }

    private void startRepaired(int id) {
        events.after(delays.repairMicros(), () -> cluster.start(id));
    }

    /** Where the files of a server that starts lie: in its own directory, unless its operator has made a mistake. */
    public Path directory(int id) {
        Machine owner = mistaken == null ? machines.get(id - 1) : mistaken;
        return owner.replica.log().disk().root();
    }

    /**
     * Tries to start a server with the directory of another one that is down: it must refuse, and change nothing. A
     * directory that does not say yet whose it is can be anybody's.
     *
     * @return whether it tried
     */
    public boolean startInDirectoryOf(int id, int owner) {
        Machine other = machines.get(owner - 1);
        SimulatedDisk disk = other.replica.log().disk();
        if (machines.get(id - 1).knownEnsemble < 0 || !Files.exists(disk.root().resolve(IDENTITY))) {
            return false;
        }
        long before = disk.contentHash();
        mistaken = other;
        try {
            workload.recover(cluster, id, workload.nothing());
            throw new InvariantViolated(
                    "replica " + id + " starts with the directory of replica " + other.replica.id());
        } catch (StartRefused refused) {
            trace.record(id, "refuses the directory of", other.replica.id(), refused.getMessage());
            InvariantViolated.check(
                    before == disk.contentHash(),
                    "replica %d changes the directory of replica %d, which it refuses: %s",
                    id,
                    other.replica.id(),
                    refused.getMessage());
        } finally {
            mistaken = null;
        }
        return true;
    }

    private StateMachine recoverFiles(Machine machine) {
        StateMachine application = workload.recover(cluster, machine.replica.id(), workload.nothing());
        application.prepare(machine.replica);
        return application;
    }
}
