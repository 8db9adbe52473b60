package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A server that one caller drives, for the simulator and for micro-benchmarks: recovery, files, state transfer and new
 * starts are those of {@link ChainkeeperServer}, without a thread, a clock or a port. Everything that is not done
 * within a call is a piece of work of the caller's {@link Scheduler}. Files are those of the paths' file systems. A
 * server that is not driven any more has crashed. Used by one thread.
 */
public final class DrivenServer implements AutoCloseable {
    private static final int QUORUM_PORT = 2888;
    private static final int ELECTION_PORT = 3888;
    private static final int KNOWN_TO_ALL = 255;

    private final DrivenSettings settings;
    private final OrderingConfig ordering;
    private final DataDirectories directories;
    private final Scheduler scheduler;
    private final Surroundings surroundings;
    private final OrderingFactory orderingFactory;
    private final FailureHandler failureHandler;
    private final NewStart newStart;
    private final Worker ender;
    private ReplicaLife life;
    private long recoveredZxid;
    private boolean opened;
    private boolean restartWanted;
    private boolean closed;

    /** What is around a server. */
    public interface Surroundings {
        /**
         * A life of the server is about to take requests.
         *
         * @param server gets its client connections
         */
        void serverStarts(OrderedZooKeeperServer server);

        /** A life has ended because it has asked for another one: {@link #recover} follows, now or later. */
        void lifeEnded();

        /**
         * The answer that is being given to another member leaves later.
         *
         * @param nanos how much later
         */
        void answerLeavesLater(long nanos);

        /**
         * A client's write is not going to be ordered. Told when that is decided: the answer waits for its turn.
         *
         * @param sessionId of the client
         * @param cxid the client's number of the write
         */
        default void writeRefused(long sessionId, int cxid) {}
    }

    /**
     * @param settings what it lives with
     * @param ordering who it is and what it promises
     * @param directories where ZooKeeper's files lie
     * @param scheduler of the caller
     * @param surroundings what is around it
     * @param orderingFactory starts the order
     * @param failureHandler told when it cannot go on
     */
    public DrivenServer(
            DrivenSettings settings,
            OrderingConfig ordering,
            DataDirectories directories,
            Scheduler scheduler,
            Surroundings surroundings,
            OrderingFactory orderingFactory,
            FailureHandler failureHandler) {
        this.settings = settings;
        this.ordering = ordering;
        this.directories = directories;
        this.scheduler = scheduler;
        this.surroundings = surroundings;
        this.orderingFactory = orderingFactory;
        this.failureHandler = failureHandler;
        this.newStart = new NextLife(ordering.replicaId(), orderingFactory, this::restart, failureHandler);
        this.ender = scheduler.worker("peer-main-" + ordering.replicaId(), this::endLife);
    }

    /**
     * First step of each life: brings back what is on disk.
     *
     * @throws IOException if a file cannot be used; the message names it
     */
    public void recover() throws IOException {
        ReplicaLife.requireOwn(ordering, settings.levels()); // a process does so as it reads its zoo.cfg
        EnsembleConfig configuration = configuration(ordering.ensemble());
        boolean knows255 = configuration.servers().containsKey(KNOWN_TO_ALL);
        PreparedFiles prepared =
                PreparedFiles.prepare(directories, ordering, knows255, scheduler, settings.largeLogWriteBytes());
        orderingFactory.prepare();
        PassiveQuorumPeer peer = peer(prepared);
        peer.setQuorumVerifier(configuration.verifier(), false);
        peer.database().loadDataBase();
        prepared.check().await();
        recoveredZxid = peer.database().getDataTreeLastProcessedZxid();
        life = ReplicaLife.recover(
                peer,
                prepared.files(),
                lifeSettings(configuration),
                ordering,
                new DrivenRuntime(scheduler, surroundings),
                failureHandler,
                newStart);
    }

    /**
     * Second step of each life: starts the order, and begins to look after time.
     *
     * @throws IOException if a file cannot be used; the message names it
     */
    public void open() throws IOException {
        life.open(orderingFactory);
        if (!opened) {
            opened = true;
            ender.start();
        }
    }

    private PassiveQuorumPeer peer(PreparedFiles prepared) throws IOException {
        PassiveQuorumPeer peer = PassiveQuorumPeer.create(running -> {}, failure -> {}, prepared.files());
        peer.setMyid(ordering.replicaId());
        peer.setTickTime(settings.tickTimeMillis());
        peer.setInitLimit(settings.patienceTicks());
        peer.setSyncLimit(settings.patienceTicks());
        peer.setMinSessionTimeout(settings.minSessionTimeoutMillis());
        peer.setMaxSessionTimeout(settings.maxSessionTimeoutMillis());
        peer.setZKDatabase(null);
        return peer;
    }

    private LifeSettings lifeSettings(EnsembleConfig configuration) {
        return new LifeSettings(
                configuration,
                null,
                false,
                settings.intervals(),
                settings.snapshotsKept(),
                true,
                settings.transfers(),
                settings.levels());
    }

    /**
     * What stands in the configuration of a server before any {@code reconfig}. Nothing listens at these addresses: the
     * order is linked by whoever drives the servers.
     *
     * @param ensemble who takes part
     * @return their configuration, version 0
     */
    public static EnsembleConfig configuration(Ensemble ensemble) {
        SortedMap<Integer, EnsembleConfig.Server> servers = new TreeMap<>();
        ensemble.participants().forEach(id -> servers.put(id, server(id, false)));
        ensemble.observers().forEach(id -> servers.put(id, server(id, true)));
        return new EnsembleConfig(0, servers);
    }

    private static EnsembleConfig.Server server(int id, boolean observer) {
        return new EnsembleConfig.Server("127.0.0." + id, QUORUM_PORT, ELECTION_PORT, observer, null, 0);
    }

    private void restart(String reason) {
        restartWanted = true;
        ender.wake();
    }

    private long endLife() {
        if (restartWanted && !closed) {
            restartWanted = false;
            life.close();
            surroundings.lifeEnded();
        }
        return closed ? Work.NEVER : Work.WHEN_WOKEN;
    }

    /** @return executes the order, since the latest start inside */
    public OrderedApplication application() {
        return life.application();
    }

    /** @return the server that connections talk to, since the latest start inside */
    public OrderedZooKeeperServer server() {
        return life.server();
    }

    /** @return the replicated state beside the tree */
    public ReplicatedState replicatedState() {
        return life.replicatedState();
    }

    /** @return how many connections it keeps requests of, since the latest start inside */
    public int requestQueues() {
        return life.requestQueues();
    }

    /** @return whether the tree is of the position executed last, and not still ahead of it after a recovery */
    public boolean treeIsOfThisPosition() {
        return replicatedState().zxid() >= recoveredZxid;
    }

    /**
     * Takes a snapshot in the background, as if somebody had asked for one.
     *
     * @return gives the file; fails with an {@link IOException} if it cannot be written
     */
    public CompletableFuture<Path> takeSnapshot() {
        return life.snapshot();
    }

    /**
     * Begins a stop that is meant: no new client is accepted, and another replica is to lead. {@link #letClientsGo} and
     * {@link #close} follow, now or later.
     */
    public void leave() {
        life.departure().begin();
    }

    /** Behind {@link #leave}: closes the connections of all clients. */
    public void letClientsGo() {
        life.departure().letGo(false);
    }

    /** Stops in an orderly way. */
    @Override
    public void close() {
        closed = true;
        ender.wake();
        life.close();
    }
}
