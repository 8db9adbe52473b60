package io.chainkeeper.simulation.znode;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.bootstrap.DrivenSettings;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.LinearizabilityChecker;
import io.chainkeeper.simulation.checker.ZnodeModel;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.order.FeatureEvidence;
import io.chainkeeper.simulation.order.SessionEvidence;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;

/** Clients with sessions, ephemeral nodes and watches, served by the real executor of every replica. */
public final class ZnodeWorkload implements Workload, SessionEvidence.Listener {
    private static final int[] TIMEOUTS_MILLIS = {200, 600, 2_000};
    private static final long LONGEST_TIMEOUT_MICROS = 2_000_000;

    /** Every pause of this length is a stall to a replica's own eyes, however slow its clock. */
    private static final long LEAST_STALL_MICROS = 2_000L * ServerConfiguration.TICK_TIME_MILLIS;

    private static final long MAX_WALL_CLOCK_OFFSET_MILLIS = 5_000;
    private static final long MAX_HOLD_MICROS = 1_000_000;
    private static final int ADMINISTRATORS = 2;
    private static final long QUIET_MICROS = 1_000_000;

    private final EventQueue events;
    private final SplittableRandom random;
    private final SplittableRandom ofWallClocks;
    private final SwarmOptions options;
    private final Decisions decisions;
    private final Trace trace;
    private final DrivenSettings settings;
    private final SessionEvidence evidence;
    private final FeatureEvidence features;
    private final History history;
    private final History guardedHistory;
    private final ZnodeJournal journal;
    private final ZnodeJournal guardedJournal;
    private final ZnodeOperations operations;
    private final GuardedZnodeOperations guarded;
    private final PassingZnodeOperations passing;
    private final ConfigurationOperations configurations;
    private final ZnodeMix mix;
    private final List<ZnodeClient> administrators = new ArrayList<>();
    private final boolean hasQuota;
    private final List<ZnodeClient> clients = new ArrayList<>();
    private final Map<Long, ZnodeSession> sessions = new TreeMap<>();
    private final TreeSet<String> mayExpire = new TreeSet<>();
    private Cluster cluster;
    private long lastLink;
    private boolean stopped;
    private long quietSinceMicros;
    private boolean stable;

    /**
     * @param events virtual time
     * @param random what clients draw
     * @param options how many clients there are, and what they do
     * @param decisions which requests they make
     * @param trace told of their sessions
     */
    public ZnodeWorkload(
            EventQueue events, SplittableRandom random, SwarmOptions options, Decisions decisions, Trace trace) {
        ServerConfiguration.enableEverything();
        this.events = events;
        this.random = random;
        this.options = options;
        this.decisions = decisions;
        this.ofWallClocks = random.split();
        this.settings = ServerConfiguration.draw(options, ofWallClocks.split());
        this.trace = trace;
        this.history = new History(events::steps);
        this.evidence = new SessionEvidence(
                events::nowMicros,
                options.clockSkewPercent(),
                (replica, sinceMicros) -> cluster.waits().stoodStillMicros(replica, sinceMicros, LEAST_STALL_MICROS),
                () -> cluster.checker().membership(),
                () -> cluster.checker().lastPosition(),
                this);
        this.features = new FeatureEvidence(() -> cluster.checker().lastPosition());
        this.guardedHistory = new History(events::steps);
        boolean linearizable = options.servers().areReadsLinearizable();
        this.journal = new ZnodeJournal(history, evidence, linearizable);
        this.guardedJournal = new ZnodeJournal(guardedHistory, evidence, linearizable);
        this.operations = new ZnodeOperations(journal);
        this.guarded = new GuardedZnodeOperations(guardedJournal);
        this.passing = new PassingZnodeOperations(journal);
        this.configurations = new ConfigurationOperations(evidence.configurations(), linearizable);
        this.mix = new ZnodeMix(options, operations, guarded, passing, configurations);
        this.hasQuota = random.nextInt(3) == 0;
    }

    // ---------------------------------------------------------------- replicas

    @Override
    public Checkpoint nothing() {
        return ZnodeReplica.NOTHING;
    }

    @Override
    public StateMachine recover(Cluster replicas, int replica, Checkpoint checkpoint) {
        cluster = replicas;
        return recover(replica, new ServerPlace(replicas, replicas, options));
    }

    private ZnodeReplica recover(int replica, ServerPlace place) {
        long offsetMillis = ofWallClocks.nextLong(MAX_WALL_CLOCK_OFFSET_MILLIS);
        return new ZnodeReplica(replica, offsetMillis, place, settings, ofWallClocks.split(), evidence, features);
    }

    @Override
    public StateMachine recoverElsewhere(Cluster elsewhere, int replica) {
        return recover(replica, new ServerPlace(elsewhere, cluster, options));
    }

    @Override
    public Workload ofAnotherCluster(EventQueue time, SplittableRandom drawn, Decisions all, Trace of) {
        return new ZnodeWorkload(time, drawn, options.ofAnotherCluster(), all, of);
    }

    @Override
    public boolean keepsFiles() {
        return true;
    }

    @Override
    public String describe(ByteSlice command) {
        Command decoded = SessionEvidence.decode(command);
        return decoded.toString();
    }

    @Override
    public void ordered(ProposedCommand command) {
        evidence.ordered(command);
        features.ordered(command, SessionEvidence.decode(command.command()));
    }

    @Override
    public boolean isOtherRelease(int replica) {
        return !cluster.releases().levels(replica).holds(features.level());
    }

    @Override
    public void expiryProposed(long sessionId) {
        ZnodeSession session = sessions.get(sessionId);
        if (session != null) {
            for (String path : session.ephemeralPaths()) {
                if (mayExpire.add(sessionId + path)) {
                    operations.mayExpire(sessionId, path);
                }
            }
        }
    }

    @Override
    public void configured(EnsembleConfig configuration) {
        if (!configuration.ensemble().equals(cluster.ensemble())) {
            cluster.ensembles().configured(configuration.ensemble());
        }
    }

    @Override
    public void ended(long sessionId) {
        trace.record(0, "session ends", sessionId, null);
    }

    // ---------------------------------------------------------------- clients

    @Override
    public void start(Cluster replicas) {
        cluster = replicas;
        for (int i = 1; i <= options.sessions(); i++) {
            ZnodeClient client = client(i, 0);
            clients.add(client);
            client.start();
            planNext(client, new ClientTurns(i, random.split()));
        }
        if (options.faultIntervalMicros().containsKey(SwarmOptions.Fault.RECONFIGURE)) {
            for (int i = 1; i <= ADMINISTRATORS; i++) {
                ZnodeClient client = client(-i, 0).asAdministrator();
                administrators.add(client);
                clients.add(client);
                client.start();
            }
        }
    }

    private ZnodeClient client(int number, int pinnedTo) {
        int drawnMillis = TIMEOUTS_MILLIS[random.nextInt(TIMEOUTS_MILLIS.length)];
        int timeoutMillis = Math.max(drawnMillis, ServerConfiguration.leastTimeoutMillis(options));
        return new ZnodeClient(number, pinnedTo, timeoutMillis, events, random.split(), cluster, this);
    }

    long nextLinkNumber() {
        return ++lastLink;
    }

    /** Something happens at a client. */
    void note(ZnodeClient client, String what, long number) {
        trace.record(0, what, number, client);
    }

    void sessionBegins(ZnodeClient client) {
        sessions.put(client.session().id(), client.session());
        operations.createParent(client, ZnodeOperations.PARENT);
        operations.createParent(client, ZnodeOperations.SEQUENCES);
        operations.createParent(client, GuardedZnodeOperations.PATH);
        if (hasQuota) {
            operations.createQuota(client, ZnodeOperations.PARENT, ZnodeMix.CHILDREN);
        }
    }

    void sessionExpired(ZnodeClient client, ZnodeSession session) {
        trace.record(0, "client finds its session expired", session.id(), client);
        InvariantViolated.check(!stable, "%s expired though nothing fails any more", client);
    }

    void sessionAbandoned(ZnodeSession session) {
        trace.record(0, "client abandons its session", session.id(), null);
    }

    void eventReceived() {
        trace.mix(events.nowMicros());
    }

    private void planNext(ZnodeClient client, ClientTurns turns) {
        events.after(1 + turns.thinkMicros(options.maxThinkMicros()), () -> {
            if (!stopped && operations() < options.maxOperations()) {
                SplittableRandom ofTurn = turns.next();
                if (decisions.asks(turns.client(), turns.number())) {
                    next(client, ofTurn);
                }
                planNext(client, turns);
            }
        });
    }

    private void next(ZnodeClient client, SplittableRandom random) {
        if (!client.isConnected() || client.session().isClosing()) {
            return;
        }
        if (random.nextInt(400) < options.sessionMovePercent()) {
            client.disconnect();
        } else if (random.nextInt(200) == 0) {
            client.vanish(false);
        } else if (random.nextInt(100) == 0) {
            client.hold(random.nextLong(MAX_HOLD_MICROS));
        } else if (client.outstanding() < options.maxOutstanding()) {
            mix.ask(client, random);
        }
    }

    /**
     * In half of the runs what was asked before is answered on the connections on which it was asked, unless they are
     * those of a server that is gone for good.
     */
    @Override
    public void stop() {
        stopped = true;
        quietSinceMicros = events.nowMicros();
        boolean allLeave = random.nextBoolean();
        for (ZnodeClient client : clients) {
            if (allLeave || cluster.gone().stream().anyMatch(client::isConnectedTo)) {
                client.disconnect();
            }
        }
    }

    // ---------------------------------------------------------------- the ensemble

    @Override
    public boolean isFormed() {
        return evidence.configurations().count() > 0;
    }

    @Override
    public boolean asksForEnsembles() {
        return true;
    }

    /** Asked by one of several, so that two requests may meet; at times by one who has no right to. */
    @Override
    public boolean askFor(Ensemble next, SplittableRandom random) {
        boolean isAllowed = random.nextInt(10) != 0;
        List<ZnodeClient> askers = isAllowed ? administrators : clients;
        ZnodeClient client = askers.get(random.nextInt(askers.size()));
        if (stopped || !isFormed() || !client.isConnected() || client.session().isClosing()) {
            return false;
        }
        boolean incremental = random.nextBoolean();
        long fromVersion =
                random.nextInt(3) == 0 ? configurations.anyVersion(random) : ConfigurationOperations.ANY_VERSION;
        configurations.change(client, next, incremental, fromVersion, code -> {});
        return true;
    }

    // ---------------------------------------------------------------- what a healthy ensemble must do

    @Override
    public void goneForGood(int replica, SplittableRandom ofFault) {
        for (ZnodeClient client : clients) {
            if (client.isConnectedTo(replica) && ofFault.nextBoolean()) {
                client.vanish(false);
            }
        }
    }

    @Override
    public void demand(Awaiter awaiter) {
        awaiter.await("every client to have the answers that its connection owes it", this::haveReplies);
        awaiter.await("no change of the ensemble to be under way", this::ensembleStays);
        ReconfigDemand reconfigs = new ReconfigDemand(events, cluster, configurations, awaiter);
        if (!administrators.isEmpty()) {
            reconfigs.demandOfOne(administrators, random);
        }
        List<ZnodeClient> pinned = new ArrayList<>();
        for (int id : cluster.configured()) {
            ZnodeClient client = client(options.sessions() + id, id);
            pinned.add(administrators.isEmpty() ? client : client.asAdministrator());
            client.start();
        }
        clients.addAll(pinned);
        OperationDemand all = new OperationDemand(events, cluster, journal, operations, options, clients, awaiter);
        all.awaitQuiet();
        stable = true;
        if (options.upgrades() != Upgrades.NONE) {
            new LevelDemand(cluster, this::replica).demand(awaiter);
        }
        all.demand();
        if (!administrators.isEmpty()) {
            reconfigs.demandOfEach(pinned);
        }
        all.awaitConnections();
        demandExpiry(awaiter);
        all.awaitConnections();
        demandDeletion(all, awaiter);
        if (!administrators.isEmpty() && reconfigs.demandWithoutTheGone(administrators)) {
            all.awaitConnections();
            all.demand();
        }
        all.awaitConnections();
        for (ZnodeClient client : clients) {
            mix.allPaths().forEach(path -> operations.exists(client, path, false));
            operations.getChildren(client, false);
        }
        all.awaitReplies();
        new GrowthDemand(events, cluster, this::replica, settings.snapshotsKept())
                .demand(awaiter, all, operations, clients.get(0));
    }

    private boolean ensembleStays() {
        if (evidence.configurations().isChanging()) {
            quietSinceMicros = events.nowMicros();
        }
        return events.nowMicros() - quietSinceMicros >= QUIET_MICROS;
    }

    /** Looked at after every event. */
    private boolean haveReplies() {
        return clients.stream().noneMatch(client -> client.outstanding() > 0);
    }

    private void demandExpiry(Awaiter awaiter) {
        ZnodeClient leaving = clients.remove(clients.size() - 1);
        operations.create(leaving, ZnodeOperations.PARENT + "/last", true);
        awaiter.await("a last reply", () -> leaving.outstanding() == 0);
        new SessionDemand(events, cluster, evidence, LONGEST_TIMEOUT_MICROS, options, this::replica)
                .demand(leaving, clients, awaiter);
    }

    /** An empty container and a node whose time has passed are deleted everywhere. */
    private void demandDeletion(OperationDemand all, Awaiter awaiter) {
        ZnodeClient client = clients.get(0);
        passing.createContainer(client);
        passing.createChild(client);
        passing.createShortLived(client);
        passing.deleteChild(client);
        all.awaitReplies();
        awaiter.await(
                "containers and nodes with a time to live to be deleted",
                () -> cluster.configured().stream().noneMatch(this::hasPassing));
    }

    private boolean hasPassing(int id) {
        DataTree tree = replica(id).tree();
        return tree.getNode(PassingZnodeOperations.CONTAINER) != null
                || tree.getNode(PassingZnodeOperations.SHORT_LIVED) != null;
    }

    private ZnodeReplica replica(int id) {
        return (ZnodeReplica) cluster.host(id).application();
    }

    // ---------------------------------------------------------------- the end

    @Override
    public void checkEnd() {
        ZnodeReplica first = replica(cluster.configured().get(0));
        for (int id : cluster.configured()) {
            InvariantViolated.check(
                    replica(id).stateDigest() == first.stateDigest(), "digest: replica %d differs from others", id);
            checkAcknowledged(id);
        }
        Map<String, Long> dataNow = new TreeMap<>();
        DataTree tree = first.tree();
        for (String path : mix.allPaths()) {
            DataNode node = tree.getNode(path);
            if (node != null) {
                dataNow.put(path, node.stat.getMzxid());
            }
        }
        DataNode configuration = tree.getNode(ZooDefs.CONFIG_NODE);
        dataNow.put(ZooDefs.CONFIG_NODE, configuration.stat.getMzxid());
        Map<String, Long> childrenNow = new TreeMap<>();
        childrenNow.put(
                ZnodeOperations.PARENT,
                tree.getNode(ZnodeOperations.PARENT).stat.getPzxid());
        clients.forEach(client -> client.session().watches().checkNoneMissed(dataNow, childrenNow));
        sessions.forEach((id, session) -> {
            evidence.checkRefused(id);
            session.writes().forEach(connection -> evidence.checkPrefix(id, connection));
        });
        journal.settleLost();
        guardedJournal.settleLost();
        new LinearizabilityChecker<>(GuardedZnodeOperations.model()).check(guardedHistory.operations());
        new LinearizabilityChecker<>(new ZnodeModel()).check(history.operations());
    }

    private void checkAcknowledged(int id) {
        for (String path : operations.lasting()) {
            InvariantViolated.check(
                    replica(id).tree().getNode(path) != null,
                    "durability: replica %d lacks %s, which was acknowledged",
                    id,
                    path);
        }
    }

    @Override
    public long operations() {
        return journal.asked() + guardedJournal.asked();
    }

    @Override
    public long answered() {
        return journal.answered() + guardedJournal.answered();
    }
}
