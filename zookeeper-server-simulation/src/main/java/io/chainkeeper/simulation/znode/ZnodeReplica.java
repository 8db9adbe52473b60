package io.chainkeeper.simulation.znode;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.FeatureLevelRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.main.OrderStart;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.DrivenServer;
import io.chainkeeper.server.bootstrap.DrivenSettings;
import io.chainkeeper.server.bootstrap.OrderingFactory;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReleaseMismatch;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.DiskFailure;
import io.chainkeeper.simulation.host.DrivenScheduler;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.StartRefused;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.order.FeatureEvidence;
import io.chainkeeper.simulation.order.SessionEvidence;
import io.chainkeeper.simulation.swarm.Upgrades;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.SplittableRandom;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.server.ClientCnxnLimitException;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.RequestRecord;

/** The server's own executor, sessions and maintenance as the application of a replica. */
public final class ZnodeReplica implements StateMachine {
    private static final long FIRST_WALL_CLOCK_MILLIS = 1_700_000_000_000L;
    /** What others say who refuse a link to a server of a release that is too old. */
    private static final String REFUSED_FOR_LEVEL = " is in force, but release ";

    private static final long DIGEST_MULTIPLIER = 0xD6E8FEB86659FD93L;

    /** What a new directory holds. */
    static final Checkpoint NOTHING = () -> 0;

    private final int id;
    private final ServerPlace place;
    private final Cluster cluster;
    private final Cluster origin;
    private final ServerConnections connections;
    private final ServerPlan plan;
    private final DrivenScheduler scheduler;
    private final OrderingConfig ordering;
    private final OrderStart orderStart;
    private final DrivenServer server;
    private final OrderedApplication application;
    private final SessionEvidence evidence;
    private final FeatureEvidence features;

    private ReplicaHost host;
    private StateOffer offer;
    private ProtocolContext.Start startKind;
    private long position;
    private long begun;
    private EnsembleConfig told;
    private boolean changesAnything;
    private boolean hasLetClientsGo;

    /**
     * @param id replica id
     * @param wallClockOffsetMillis by how much its wall clock is wrong
     * @param place where it lives
     * @param settings what its server lives with
     * @param random what its server draws
     * @param evidence sees what is proposed about sessions
     * @param features what the order makes of the feature level
     */
    ZnodeReplica(
            int id,
            long wallClockOffsetMillis,
            ServerPlace place,
            DrivenSettings settings,
            SplittableRandom random,
            SessionEvidence evidence,
            FeatureEvidence features) {
        this.id = id;
        this.place = place;
        this.cluster = place.cluster();
        this.origin = place.origin();
        this.evidence = evidence;
        this.features = features;
        this.plan = new ServerPlan(place, this::checkServing);
        this.connections = new ServerConnections(place.options().hasLittleRoom());
        this.scheduler = new DrivenScheduler(
                "server " + id,
                () -> cluster.clockNanos(id),
                () -> FIRST_WALL_CLOCK_MILLIS + wallClockOffsetMillis + cluster.clockMicros(id) / 1000,
                random::nextLong,
                plan);
        Path directory = origin.starting().directory(id);
        this.ordering = ServerConfiguration.ordering(id, place, directory);
        this.orderStart =
                new OrderStart(ordering, scheduler, cluster.sharedDisks().count() > 0);
        this.server = new DrivenServer(
                settings.withLevels(origin.releases().levels(id)),
                ordering,
                new DataDirectories(directory, directory),
                scheduler,
                new Around(),
                new Below(),
                this::failed);
        try {
            server.recover();
        } catch (IOException e) {
            throw new StartRefused(e.getMessage(), e);
        }
        new ServerRules(origin.replica(id)).takeOutOf(server.replicatedState());
        this.application = server.application();
        this.position = application.recoveredPosition();
        this.begun = position;
    }

    /** Whatever is wrong but the disk is a defect. */
    private void failed(String message, Throwable cause) {
        IOException failure = DiskFailure.in(cause);
        if (host != null && failure != null && host.replica().log().disk().hasFailed()) {
            cluster.logFailed(host, failure);
            return;
        }
        InvariantViolated violated = new InvariantViolated("replica " + id + " stops: " + message);
        violated.initCause(cause);
        throw violated;
    }

    /** What is around the server. */
    private final class Around implements DrivenServer.Surroundings {
        @Override
        public void serverStarts(OrderedZooKeeperServer started) {
            started.setServerCnxnFactory(connections);
        }

        @Override
        public void lifeEnded() {
            if (place.isOfAStranger()) {
                cluster.strangers().end();
            } else {
                cluster.starting().startAgain(id);
            }
        }

        @Override
        public void answerLeavesLater(long nanos) {
            // The limit is far above what a run sends.
        }

        @Override
        public void writeRefused(long sessionId, int cxid) {
            evidence.refused(sessionId, cxid);
        }
    }

    /** The order below the server: the replica's host. */
    private final class Below implements OrderingFactory {
        @Override
        public RunningOrder start(Application recovered, StateOffer stateOffer, FailureHandler failureHandler) {
            offer = stateOffer;
            return new RunningHost(host, place, evidence, () -> begun);
        }

        @Override
        public void startAbove(long incarnation) {
            host.replica().startAbove(incarnation);
        }
    }

    /** Another member asks for state. */
    ByteSlice answerStateRequest(int from, ByteSlice request) throws IOException {
        return offer.answer(from, request, host::promise);
    }

    @Override
    public void started(ReplicaHost ready) {
        host = ready;
        plan.hostedBy(ready);
        try {
            server.open();
        } catch (IOException e) {
            failed("it does not start: " + e.getMessage(), e);
        }
        plan.begin();
    }

    // ---------------------------------------------------------------- connections

    ServerConnection accept(long number, ClientLink link) throws IOException {
        return new ServerConnection(number, link, server.server(), connections);
    }

    /** A connect request arrives. */
    void connectRequest(ServerConnection connection, ConnectRequest request) throws IOException {
        if (!isServing()) {
            throw new IOException("not serving");
        }
        try {
            server.server().processConnectRequest(connection, request);
        } catch (ClientCnxnLimitException e) {
            throw new IOException("too many connections", e);
        }
    }

    /** A request of a connected client arrives. */
    void packet(ServerConnection connection, RequestHeader header, RequestRecord record) throws IOException {
        long atMicros = evidence.nowMicros(); // it may wait
        server.server().processPacket(connection, header, record);
        if (connection.isOpen()) {
            evidence.heard(id, connection.getSessionId(), atMicros);
        }
    }

    /** Whether clients are let in. */
    boolean isServing() {
        return server.server().isRunning();
    }

    /** A server that stops and has let its clients go lets nobody in any more. */
    private void checkServing() {
        InvariantViolated.check(
                !hasLetClientsGo || !server.server().isServing(), "replica %d stops and serves clients again", id);
    }

    /** A reply leaves. */
    void answered(ServerConnection connection, int xid, long zxid) {
        host.answers(new Answer(connection, xid, zxid));
    }

    DrivenServer server() {
        return server;
    }

    ReplicatedState replicatedState() {
        return server.replicatedState();
    }

    DataTree tree() {
        return server.server().getZKDatabase().getDataTree();
    }

    // ---------------------------------------------------------------- execution

    @Override
    public long recoveredPosition() {
        return application.recoveredPosition();
    }

    @Override
    public ProposerTable proposerTable() {
        return application.proposerTable();
    }

    @Override
    public Membership recoveredMembership() {
        return application.recoveredMembership();
    }

    @Override
    public void positionBegins(long at) {
        changesAnything = false;
        begun = at;
        application.positionBegins(at);
    }

    @Override
    public void membershipChanged(long at, Membership changed) {
        changesAnything = true;
        application.membershipChanged(at, changed);
    }

    @Override
    public void apply(long at, ProposedCommand command, Proposal own) {
        changesAnything = true;
        application.apply(at, command, own);
    }

    @Override
    public void positionApplied(long at) {
        application.positionApplied(at);
        position = at;
        int level = featureLevel().number();
        origin.releases().executed(id, level);
        features.executed(id, at, level);
        if (changesAnything) {
            evidence.executed(id, at, server.replicatedState().sessions());
        }
        tellConfiguration();
        InvariantViolated.check(!server.server().hasDiverged(), "replica %d finds its own state wrong", id);
        if (server.treeIsOfThisPosition()) {
            Ephemerals.check(id, at, tree(), server.replicatedState().sessions());
        }
    }

    private void tellConfiguration() {
        EnsembleConfig configuration = server.replicatedState().configuration();
        if (configuration != null && configuration != told) {
            told = configuration;
            evidence.configurations().executed(id, configuration);
        }
    }

    @Override
    public void batchBegin() {
        application.batchBegin();
    }

    @Override
    public void executionFailed() {
        application.executionFailed();
    }

    @Override
    public void batchEnd() {
        application.batchEnd();
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        application.statusChanged(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        application.memberSilent(member, silent);
    }

    @Override
    public void superseded(long incarnation) {
        application.superseded(incarnation);
    }

    @Override
    public void checkpointWanted() {
        application.checkpointWanted();
    }

    @Override
    public void stateNeeded(int fromPeer, long needed) {
        application.stateNeeded(fromPeer, needed);
    }

    // ---------------------------------------------------------------- state

    @Override
    public Membership membership() {
        return server.replicatedState().membership();
    }

    @Override
    public long position() {
        return position;
    }

    /** An empty position leaves everything as it was; what it does not leave so is seen at the next one. */
    @Override
    public long digest() {
        return changesAnything ? stateDigest() : NO_DIGEST;
    }

    /** Digest of the tree and of what is beside it, or {@link #NO_DIGEST}. */
    long stateDigest() {
        if (!server.treeIsOfThisPosition() || server.replicatedState().clusterId() == null) {
            return NO_DIGEST; // before the cluster is formed each tree shows what its own server's file says
        }
        long digest = tree().getTreeDigest();
        digest = digest * DIGEST_MULTIPLIER + tree().lastProcessedZxid;
        digest = digest * DIGEST_MULTIPLIER + server.replicatedState().encode().hashCode();
        digest = digest * DIGEST_MULTIPLIER + proposerTable().encode().hashCode();
        return digest == NO_DIGEST ? 0 : digest;
    }

    @Override
    public boolean keepsFiles() {
        return true;
    }

    @Override
    public void prepare(SimulatedReplica disk) {
        long covered = disk.oldestCheckpoint();
        InvariantViolated.check(
                application.recoveredPosition() >= covered,
                "replica %d recovers to position %d, and has said that it needs nothing up to %d",
                id,
                application.recoveredPosition(),
                covered);
        disk.beginStart(log -> {
            orderStart.prepare(log, application);
            startKind = orderStart.kind(log, application.recoveredPosition());
        });
    }

    @Override
    public ProtocolContext.Start startKind() {
        return startKind;
    }

    @Override
    public boolean needsOtherRelease(String message, Throwable cause) {
        boolean isForRelease = cause instanceof ReleaseMismatch || message.contains(REFUSED_FOR_LEVEL);
        return isForRelease && !origin.releases().levels(id).holds(features.level());
    }

    @Override
    public FeatureLevel featureLevel() {
        return server.replicatedState().features().level();
    }

    @Override
    public void askForLevel() {
        try {
            new FeatureLevelRequest(Upgrades.PRESENT.newest()).write(ordering.orderingDirectory());
        } catch (IOException e) {
            // The disk is full or fails: the operator's command says so, and nothing was asked.
        }
    }

    @Override
    public void writes() {
        scheduler.workNow(DrivenScheduler.Part.SNAPSHOT);
    }

    /** In the background, as if somebody had asked for a snapshot. */
    @Override
    public Checkpoint beginCheckpoint() {
        server.takeSnapshot();
        return NOTHING;
    }

    @Override
    public Checkpoint completeCheckpoint(Checkpoint begun) {
        throw new InvariantViolated("replica " + id + " writes its checkpoints by itself");
    }

    @Override
    public void leave(ReplicaHost ignored) {
        server.leave();
    }

    @Override
    public void letClientsGo() {
        server.letClientsGo();
        hasLetClientsGo = true;
        checkServing();
    }

    @Override
    public void close(ReplicaHost ending) {
        server.close();
        boolean isMarked = Files.exists(ordering.orderingDirectory().resolve(StopMarker.FILE_NAME));
        InvariantViolated.check(
                isMarked || ending.replica().log().disk().hasFailed(), "replica %d stops without its marker", id);
    }

    @Override
    public boolean isWaiting() {
        return scheduler.isWaiting();
    }

    @Override
    public void crashed(Collection<Proposal> proposals, Collection<TotalOrder.ReadWaiter> waiters) {
        connections.all().forEach(ServerConnection::processGone);
    }
}
