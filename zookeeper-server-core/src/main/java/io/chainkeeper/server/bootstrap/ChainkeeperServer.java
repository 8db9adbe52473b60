package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.FileFailure;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.server.maintenance.Departure;
import io.chainkeeper.server.maintenance.DrainRequest;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ExecutionProfileMismatch;
import io.chainkeeper.server.state.ReleaseMismatch;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import java.io.Closeable;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.security.sasl.SaslException;
import org.apache.zookeeper.metrics.MetricsProviderLifeCycleException;
import org.apache.zookeeper.server.ExitCode;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of a Chainkeeper ensemble: the entry point for {@code main} and for tests. Start it once, stop it once.
 */
public final class ChainkeeperServer {
    private static final Logger LOG = LoggerFactory.getLogger(ChainkeeperServer.class);
    private static final long CLIENTS_FIRST_MILLIS = 2_000;
    private static final long LOOK_EVERY_MILLIS = 50;

    /** How often the server looks whether the user has asked it to leave. */
    private static final long REQUEST_EVERY_MILLIS = 500;

    private final QuorumPeerConfig config;
    private final OrderingConfig ordering;
    private final OrderingFactory orderingFactory;
    private final Scheduler scheduler;
    private final Claim claim;
    private final CountDownLatch startDecided = new CountDownLatch(1);
    private final CountDownLatch adminServerDecided = new CountDownLatch(1);
    private final Object monitor = new Object();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<Throwable> startFailure = new AtomicReference<>();
    private final AtomicBoolean failed = new AtomicBoolean();
    private final NewStart newStart;
    private boolean stopWanted;
    /** Why another start is to follow this one; null if none is. */
    private String restartReason;

    /** Why the present start has followed another one. The peer's thread. */
    private String startReason;

    private volatile boolean clientsFirst;
    private volatile PreparedFiles prepared;
    private volatile ReplicaLife life;
    private volatile String failureMessage;
    private volatile int exitCode = ExitCode.EXECUTION_FINISHED.getValue();

    /**
     * @param config the parsed zoo.cfg; its parsing must have come before any other use of ZooKeeper's classes
     * @param ordering its ordering part
     * @param orderingFactory starts the order
     */
    public ChainkeeperServer(QuorumPeerConfig config, OrderingConfig ordering, OrderingFactory orderingFactory) {
        this(config, ordering, orderingFactory, ThreadScheduler.INSTANCE, () -> () -> {});
    }

    /** Keeps other servers from the directories while their files are put in order. */
    @FunctionalInterface
    public interface Claim {
        /**
         * Looks whether another server runs on the directories, and keeps others away.
         *
         * @return to be closed before the order is started, which keeps them away by itself
         * @throws IOException if another one does, with a message of one line that says so
         */
        Closeable take() throws IOException;
    }

    /**
     * @param config the parsed zoo.cfg; its parsing must have come before any other use of ZooKeeper's classes
     * @param ordering its ordering part
     * @param orderingFactory starts the order
     * @param scheduler gives clocks and threads to what lies above the order: sessions, times to live, maintenance
     * @param claim taken for a moment by each start
     */
    public ChainkeeperServer(
            QuorumPeerConfig config,
            OrderingConfig ordering,
            OrderingFactory orderingFactory,
            Scheduler scheduler,
            Claim claim) {
        this.config = config;
        this.claim = claim;
        this.scheduler = scheduler;
        this.ordering = ordering;
        this.orderingFactory = orderingFactory;
        this.newStart = new NextLife(ordering.replicaId(), orderingFactory, this::restart, this::fail);
    }

    private final class PeerMain extends QuorumPeerMain {
        @Override
        protected QuorumPeer getQuorumPeer() throws SaslException {
            return PassiveQuorumPeer.create(
                    ChainkeeperServer.this::live, ChainkeeperServer.this::peerFailed, prepared.files());
        }

        /** Ends a peer that could not load its files; one that could ends itself. */
        void abandon() {
            if (quorumPeer != null) {
                quorumPeer.shutdown();
            }
        }
    }

    /**
     * Loads the files, starts the order, opens the client port and the AdminServer. Clients are let in as soon as the
     * order has a leader and this replica has caught up.
     *
     * @throws IOException if a file, directory or port cannot be used; the message names it
     */
    public void start() throws IOException {
        begin();
        await(adminServerDecided);
    }

    /**
     * As {@link #start}, but returns when the client port is open. The AdminServer, for which a JVM that has just been
     * started takes half a second, follows when clients have been let in, or after two seconds.
     *
     * @throws IOException if a file, directory or port cannot be used; the message names it
     */
    public void startClientsFirst() throws IOException {
        clientsFirst = true;
        begin();
    }

    private void begin() throws IOException {
        // The order's own log is what durability rests on; see SnapshotWriter for when this log is forced.
        System.setProperty("zookeeper.forceSync", "no");
        prepareFiles();
        Thread peerThread = new Thread(this::runPeer, "peer-main-" + config.getServerId());
        peerThread.setDaemon(true);
        peerThread.start();
        await(startDecided);
        Throwable failure = startFailure.get();
        if (failure != null) {
            throw new IOException(reason(failure), failure);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while starting", e);
        }
    }

    /** ZooKeeper wraps what it found in its files, or at the port of its metrics, so that it does not say it. */
    private static String reason(Throwable failure) {
        if (failure.getCause() instanceof MetricsProviderLifeCycleException) {
            return failure.getMessage() + ": " + root(failure) + "; correct the keys metricsProvider.* of zoo.cfg, or"
                    + " stop the process that uses the port";
        }
        Throwable cause = failure;
        while (cause instanceof RuntimeException && cause.getCause() instanceof IOException) {
            cause = cause.getCause();
        }
        return text(cause);
    }

    private static String root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return text(root);
    }

    private static String text(Throwable failure) {
        if (failure instanceof IOException ofFile) {
            return FileFailure.text(ofFile);
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    private void runPeer() {
        try {
            runPeerOnce();
            while (restartsNow()) {
                LOG.info("Replica {} starts again {}", config.getServerId(), startReason);
                prepareFiles();
                runPeerOnce();
            }
            orderingFactory.awaitEnd();
        } catch (IOException | RuntimeException | Error e) {
            peerFailed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stopped.countDown();
        }
    }

    private void prepareFiles() throws IOException {
        DataDirectories directories = new DataDirectories(
                config.getDataDir().toPath(), config.getDataLogDir().toPath());
        boolean knows255 = config.getQuorumVerifier().getAllMembers().containsKey(255L);
        // What a crash has left is cut, and what was fetched put in place: never under a server that runs.
        try (Closeable claimed = claim.take()) {
            prepared = PreparedFiles.prepare(
                    directories, ordering, knows255, ThreadScheduler.INSTANCE, LoggedFiles.LARGE_WRITE_BYTES);
        }
        orderingFactory.prepare();
    }

    private void runPeerOnce() {
        PeerMain main = new PeerMain();
        try {
            main.runFromConfig(config);
        } catch (IOException | AdminServerException | RuntimeException | Error e) {
            Throwable cause = prepared.check().causeOf(e);
            try {
                main.abandon();
                orderingFactory.abandon();
            } finally {
                peerFailed(cause);
            }
        }
    }

    /** Whether the life that has ended is followed by another one. */
    private boolean restartsNow() {
        synchronized (monitor) {
            boolean restarts = restartReason != null && !stopWanted;
            startReason = restartReason;
            restartReason = null;
            return restarts;
        }
    }

    private void restart(String reason) {
        synchronized (monitor) {
            restartReason = reason;
            monitor.notifyAll();
        }
    }

    private void stop() {
        synchronized (monitor) {
            stopWanted = true;
            monitor.notifyAll();
        }
    }

    private void awaitEndOfLife(ReplicaLife running, DrainRequest request) throws InterruptedException {
        while (!mayEnd()) {
            synchronized (monitor) {
                if (!mayEnd()) {
                    monitor.wait(REQUEST_EVERY_MILLIS);
                }
            }
            if (request.isMade() && !mayEnd()) {
                drain(running.departure(), request);
            }
        }
        if (stopWanted && !failed.get() && !running.server().isDraining()) {
            running.departure().depart(Departure.STOP_MILLIS, false);
        }
    }

    private boolean mayEnd() {
        synchronized (monitor) {
            return stopWanted || restartReason != null;
        }
    }

    /** The user asks for the end: not if the others could not go on. */
    private void drain(Departure departure, DrainRequest request) {
        OptionalLong boundMillis = request.take();
        if (boundMillis.isEmpty()) {
            return;
        }
        String refusal = departure.refusal();
        if (refusal != null) {
            request.refuse(refusal);
            return;
        }
        request.answer(departure.depart(boundMillis.getAsLong(), true));
        stop();
    }

    /** Returns early if the life is to end. */
    private void awaitClientsServed(OrderedZooKeeperServer server) throws InterruptedException {
        synchronized (monitor) {
            long left = CLIENTS_FIRST_MILLIS / LOOK_EVERY_MILLIS;
            while (left-- > 0 && !server.isServing() && !stopWanted && restartReason == null) {
                monitor.wait(LOOK_EVERY_MILLIS);
            }
        }
    }

    /** The peer's thread, from start to stop. */
    private void live(PassiveQuorumPeer peer) throws IOException {
        try (ReplicaLife started = startLife(peer)) {
            DrainRequest request = new DrainRequest(ordering.orderingDirectory());
            if (life == null) {
                // not later: what is asked of a server that is known to have started has to be answered
                request.refuseEarlier();
            }
            life = started;
            startDecided.countDown();
            if (clientsFirst) {
                awaitClientsServed(started.server());
            }
            started.startAdminServer();
            adminServerDecided.countDown();
            awaitEndOfLife(started, request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            adminServerDecided.countDown();
            orderingFactory.abandon();
            peer.shutdown();
        }
    }

    private ReplicaLife startLife(PassiveQuorumPeer peer) throws IOException {
        prepared.check().await();
        FailureHandler failureHandler = this::fail;
        ReplicaLife recovered = ReplicaLife.recover(
                peer,
                prepared.files(),
                LifeSettings.of(config, ordering, configuration(peer)),
                ordering,
                new ThreadedRuntime(ordering.replicaId(), scheduler),
                failureHandler,
                newStart);
        recovered.open(orderingFactory);
        return recovered;
    }

    private static EnsembleConfig configuration(PassiveQuorumPeer peer) throws IOException {
        try {
            return EnsembleConfig.of(peer.getQuorumVerifier());
        } catch (IllegalArgumentException e) {
            throw new IOException("server list: " + e.getMessage(), e);
        }
    }

    private void peerFailed(Throwable failure) {
        if (startDecided.getCount() > 0) {
            startFailure.compareAndSet(null, failure);
            startDecided.countDown();
        } else {
            fail("the server stopped: " + text(failure), failure);
        }
    }

    private void fail(String message, Throwable cause) {
        if (failed.compareAndSet(false, true)) {
            exitCode = ExitCode.UNEXPECTED_ERROR.getValue();
            failureMessage = message;
            // Where the user has to change a setting, the message says so and a trace would only hide it.
            boolean forTheUser = cause instanceof ExecutionProfileMismatch || cause instanceof ReleaseMismatch;
            Throwable shown = forTheUser ? null : cause;
            LOG.error("Replica {} stops: {}", config.getServerId(), message, shown);
            stop();
        }
    }

    /**
     * Waits until the server has stopped, by {@link #shutdown} or because it cannot go on.
     *
     * @return ZooKeeper's exit code: 0 after {@code shutdown}, 1 after a failure
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public int awaitShutdown() throws InterruptedException {
        stopped.await();
        return exitCode;
    }

    /**
     * Waits, after {@link #start}, until this start has shown whether it works, as far as that shows soon: clients are
     * served, or whoever could refuse this server has had the time to, and it waits for others.
     *
     * @return false if the server ends instead
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public boolean awaitStarted() throws InterruptedException {
        StartWatch watch = new StartWatch(System.nanoTime());
        synchronized (monitor) {
            while (!stopWanted) {
                ReplicaLife current = life;
                if (current != null
                        && watch.hasStarted(current.server().isServing(), current.view(), System.nanoTime())) {
                    return true;
                }
                monitor.wait(LOOK_EVERY_MILLIS);
            }
            return false;
        }
    }

    /** @return why the server failed, one line; null if it did not */
    public String failureMessage() {
        return failureMessage;
    }

    /**
     * Stops the server and waits until its files are closed and all that it has asked of shared disks is answered. May
     * be called by any thread, repeatedly.
     */
    public void shutdown() {
        stop();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return the replicated state beside the tree; after {@link #start} */
    public ReplicatedState replicatedState() {
        return life.replicatedState();
    }

    /**
     * Has something ordered behind everything that this replica has proposed so far; after {@link #start}. May wait.
     *
     * @return done when this replica has executed all of it; never if it stops before
     */
    public CompletableFuture<Void> afterAllProposed() {
        return life.afterAllProposed();
    }

    /** @return what this replica knows about the order, null before it has started */
    public OrderView view() {
        ReplicaLife current = life;
        return current == null ? null : current.view();
    }

    /** @return the server inside, null before it has started; for AdminServer commands and tests */
    public OrderedZooKeeperServer server() {
        ReplicaLife current = life;
        return current == null ? null : current.server();
    }
}
