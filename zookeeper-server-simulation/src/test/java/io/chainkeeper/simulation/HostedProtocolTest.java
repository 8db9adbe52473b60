package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.replica.ThreadScheduler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Every protocol on the class path in its production host: real threads, real acceptor logs, links inside the process.
 */
@RunWith(Parameterized.class)
public final class HostedProtocolTest {
    private static final long DEADLINE_SECONDS = 30;
    private static final List<Integer> MEMBERS = List.of(1, 2, 3);

    /** Acceptor logs of the replicas. */
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static final Set<Role> VOTING = Set.of(Role.LEADER, Role.FOLLOWER);

    private final OrderingProtocolFactory factory;
    private final InProcessLinks links = new InProcessLinks();
    private final Map<Integer, Node> nodes = new TreeMap<>();
    private final AtomicReference<String> failure = new AtomicReference<>();

    public HostedProtocolTest(String protocol) {
        factory = Protocols.named(protocol);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.copyOf(Protocols.all().keySet());
    }

    /** A replica whose state is the list of the commands it executed. */
    private final class Node implements Application {
        private final ProposerTable proposers = new ProposerTable();
        private final List<String> executed = Collections.synchronizedList(new ArrayList<>());
        private final Replica replica;

        Node(int id) throws IOException {
            AcceptorLog log = AcceptorLogs.open(
                    folder.getRoot().toPath().resolve("replica" + id),
                    LogStore.SEGMENTED,
                    Durability.SYNC,
                    AcceptorLogSettings.defaults());
            replica = new Replica(
                    id,
                    Replica.nextIncarnation(log, Long.MIN_VALUE, ThreadScheduler.INSTANCE),
                    Ensemble.of(MEMBERS),
                    factory,
                    DisksInFiles.settings(factory, folder.getRoot().toPath()),
                    ProtocolContext.Start.ORDINARY,
                    log,
                    DisksInFiles.disks(factory, folder.getRoot().toPath()),
                    links.transport(id),
                    this,
                    ReplicaLimits.DEFAULT,
                    (message, cause) -> failure.compareAndSet(null, id + ": " + message),
                    ThreadScheduler.INSTANCE);
            replica.start();
        }

        @Override
        public long recoveredPosition() {
            return 0;
        }

        @Override
        public ProposerTable proposerTable() {
            return proposers;
        }

        @Override
        public Membership recoveredMembership() {
            return null;
        }

        @Override
        public void positionBegins(long position) {}

        @Override
        public void membershipChanged(long position, Membership membership) {}

        @Override
        public void apply(long position, ProposedCommand command, Proposal own) {
            executed.add(new String(command.command().toByteArray(), StandardCharsets.UTF_8));
            if (own != null) {
                ((Write) own).applied.countDown();
            }
        }

        @Override
        public void positionApplied(long position) {}

        @Override
        public void batchEnd() {}

        @Override
        public void statusChanged(OrderingStatus status) {}

        @Override
        public void memberSilent(int member, boolean silent) {}

        @Override
        public void superseded(long incarnation) {
            throw new InvariantViolated("the clock of a test is not set back");
        }

        @Override
        public void stateNeeded(int fromPeer, long position) {
            failure.compareAndSet(null, "needs position " + position + " of " + fromPeer);
        }

        Write write(String text) {
            Write write = new Write(text);
            replica.propose(write);
            return write;
        }

        void awaitBarrier() throws InterruptedException {
            CountDownLatch reached = new CountDownLatch(1);
            replica.readBarrier(reached::countDown);
            assertTrue("no barrier at " + this, reached.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
    }

    private static final class Write extends Proposal {
        private final CountDownLatch applied = new CountDownLatch(1);

        Write(String text) {
            super(0, ByteSlice.of(text.getBytes(StandardCharsets.UTF_8)));
        }

        void await() throws InterruptedException {
            assertTrue("write not applied", applied.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
    }

    private void startAll() throws IOException {
        for (int id : MEMBERS) {
            nodes.put(id, new Node(id));
        }
        // One that is linked after the others have ordered something votes only once it is admitted.
        for (Node node : nodes.values()) {
            await("all to vote", () -> VOTING.contains(node.replica.status().role()));
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue("waited in vain for " + what, System.nanoTime() < deadline);
            Thread.onSpinWait();
        }
    }

    private int leader() {
        await(
                "a leader",
                () -> nodes.values().stream().anyMatch(n -> n.replica.status().role() == Role.LEADER));
        for (Map.Entry<Integer, Node> node : nodes.entrySet()) {
            if (node.getValue().replica.status().role() == Role.LEADER) {
                return node.getKey();
            }
        }
        return leader();
    }

    @After
    public void stopAll() throws IOException {
        for (Node node : nodes.values()) {
            node.replica.close();
        }
        assertNull(failure.get(), failure.get());
    }

    @Test
    public void writesAtEveryReplica_sameOrderEverywhere() throws Exception {
        startAll();
        List<Write> writes = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            writes.add(nodes.get(1 + i % 3).write("w" + i));
        }
        for (Write write : writes) {
            write.await();
        }
        for (Node node : nodes.values()) {
            node.awaitBarrier();
            assertEquals(3000, node.executed.size());
        }
        assertEquals(nodes.get(1).executed, nodes.get(2).executed);
        assertEquals(nodes.get(1).executed, nodes.get(3).executed);
    }

    @Test
    public void idleEnsemble_barrierSeesWriteAnsweredElsewhere() throws Exception {
        startAll();
        for (int i = 0; i < 50; i++) {
            nodes.get(1 + i % 3).write("w" + i).await();
            for (Node node : nodes.values()) {
                node.awaitBarrier();
                assertEquals("w" + i, node.executed.get(i));
            }
        }
    }

    @Test
    public void leaderStops_othersGoOnAndItCatchesUp() throws Exception {
        startAll();
        nodes.get(1).write("before").await();
        int leader = leader();
        nodes.remove(leader).replica.close();
        Node other = nodes.values().iterator().next();
        List<Write> writes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            writes.add(other.write("w" + i));
        }
        for (Write write : writes) {
            write.await();
        }
        other.awaitBarrier();
        Node back = new Node(leader);
        nodes.put(leader, back);
        back.awaitBarrier();
        assertEquals(other.executed, back.executed);
        back.write("again").await();
    }

    @Test
    public void eachReplicaStopsInTurnUnderLoad_nothingLost() throws Exception {
        startAll();
        List<Write> writes = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            int victim = 1 + round % 3;
            nodes.remove(victim).replica.close();
            for (Node node : nodes.values()) {
                for (int i = 0; i < 100; i++) {
                    writes.add(node.write("r" + round + "w" + i));
                }
            }
            for (Write write : writes) {
                write.await();
            }
            nodes.put(victim, new Node(victim));
        }
        for (Node node : nodes.values()) {
            node.awaitBarrier();
            assertEquals(writes.size(), node.executed.size());
            assertEquals(nodes.get(1).executed, node.executed);
        }
    }

    @Test
    public void allStop_everythingAcknowledgedSurvives() throws Exception {
        startAll();
        List<String> before = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            nodes.get(1 + i % 3).write("w" + i).await();
            before.add("w" + i);
        }
        stopAll();
        nodes.clear();
        startAll();
        for (Node node : nodes.values()) {
            node.awaitBarrier();
            assertEquals(before, node.executed.subList(0, 200));
        }
    }
}
