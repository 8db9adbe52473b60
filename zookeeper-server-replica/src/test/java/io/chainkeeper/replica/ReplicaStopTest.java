package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.CorruptLogException;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A replica that cannot go on says so once and can be closed by whichever thread found out. */
public final class ReplicaStopTest {
    private static final ReplicaLimits LIMITS = new ReplicaLimits(1 << 20, 1_000, 2_000, 1 << 20, 100, 1 << 20, 10, 10);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ScriptedAcceptorLog log = new ScriptedAcceptorLog();
    private final RecordingApplication application = new RecordingApplication();
    private final Failures failures = new Failures();
    private final CountDownLatch closed = new CountDownLatch(1);
    private Ensemble ensemble = Ensemble.of(List.of(1));

    /** What the start said, if it failed already. */
    private String startFailure;

    private final AtomicLong clockAheadNanos = new AtomicLong();
    private final AtomicReference<Replica> replica = new AtomicReference<>();
    private final AtomicReference<PeerTransport.Listener> links = new AtomicReference<>();

    @After
    public void close() throws IOException {
        application.executions.release(1_000_000);
        replica.get().close();
    }

    private static <T> T stub(Class<T> type, BiConsumer<String, Object[]> calls) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    calls.accept(method.getName(), arguments);
                    Class<?> answer = method.getReturnType();
                    return answer == Map.class
                            ? Map.of()
                            : answer == int.class ? 0 : answer == boolean.class ? false : null;
                }));
    }

    private static ByteSlice batch(long sequence, String text) {
        ByteSlice command = ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
        return BatchCodec.encode(List.of(new ProposedCommand(9, 1, 0, sequence, command)));
    }

    /** Starts a replica whose protocol does what the test says, and whose failures close it on the spot. */
    private void start(Protocol protocol) throws IOException {
        start(protocol, stub(PeerTransport.class, (name, arguments) -> {
            if (name.equals("start")) {
                links.set((PeerTransport.Listener) arguments[0]);
            }
        }));
    }

    private void start(Protocol protocol, PeerTransport transport) throws IOException {
        OrderingProtocolFactory factory = new OrderingProtocolFactory() {
            @Override
            public String name() {
                return "scripted";
            }

            @Override
            public SettingKeys settings() {
                return new SettingKeys.Builder().build();
            }

            @Override
            public MessageCodec codec() {
                return stub(MessageCodec.class, (name, arguments) -> {});
            }

            @Override
            public OrderingProtocol create(ProtocolContext context, Effects effects) {
                return stub(OrderingProtocol.class, (name, arguments) -> protocol.input(effects, name, arguments));
            }
        };
        replica.set(new Replica(
                1,
                1,
                ensemble,
                factory,
                Map.of(),
                ProtocolContext.Start.ORDINARY,
                log.log(),
                transport,
                application,
                LIMITS,
                (message, cause) -> {
                    failures.failed(message, cause);
                    try {
                        replica.get().close();
                        closed.countDown();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                scheduler()));
        try {
            replica.get().start();
        } catch (IOException e) {
            startFailure = e.getMessage();
        }
    }

    /** Threads, and a clock that the test moves on. */
    private Scheduler scheduler() {
        return (Scheduler) Proxy.newProxyInstance(
                Scheduler.class.getClassLoader(), new Class<?>[] {Scheduler.class}, (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(ThreadScheduler.INSTANCE, arguments);
                        return method.getName().equals("nanoTime") ? (Long) answer + clockAheadNanos.get() : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private interface Protocol {
        void input(Effects effects, String name, Object[] arguments);
    }

    private void assertClosedAfter(String failure) throws InterruptedException {
        String message = failures.await();
        assertTrue(message, message.contains(failure));
        if (startFailure != null) {
            assertEquals(message, startFailure);
        }
        assertTrue(
                "closing it from the failure does not return",
                closed.await(Failures.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(log.isClosed());
        assertEquals("told once", 1, failures.messages().size());
        assertThrows(ReplicaStoppedException.class, () -> replica.get().readBarrier(() -> {}));
        assertThrows(ReplicaStoppedException.class, () -> replica.get().propose(new Proposal(0, ByteSlice.EMPTY) {}));
    }

    @Test
    public void peersDoNotKnowThisReplicaYet_itWaitsButStopsIfItBelongsElsewhere() throws Exception {
        ensemble = new Ensemble(List.of(1, 2, 3), List.of(4, 5));
        start((effects, name, arguments) -> {});
        for (int peer = 2; peer < 10; peer++) {
            links.get().onPeerRefused(peer, RefusalKind.NOT_A_MEMBER, "is not a member");
        }
        for (int peer = 1; peer < 10; peer++) {
            links.get().onPeerRefused(peer, RefusalKind.CLAIMED, "belongs to another cluster");
            links.get().onPeerRefused(peer, RefusalKind.PEER_TOO_OLD, "was put back to a former release");
        }
        assertEquals(List.of(), failures.messages());
        links.get().onPeerRefused(2, RefusalKind.ELSEWHERE, "belongs to another cluster");
        assertEquals("one server is misplaced", List.of(), failures.messages());
        links.get().onPeerRefused(3, RefusalKind.ELSEWHERE, "belongs to another cluster");

        assertClosedAfter("does not belong to servers [2, 3] of its server list");
    }

    /** A misplaced observer, as one of a former release, says nothing about those that decide. */
    @Test
    public void observersRefuseAndAreRefused_participantGoesOn() throws Exception {
        ensemble = new Ensemble(List.of(1), List.of(2, 3));
        start((effects, name, arguments) -> {});
        for (int observer = 2; observer <= 3; observer++) {
            links.get().onPeerRefused(observer, RefusalKind.ELSEWHERE, "runs another release");
        }
        assertEquals(List.of(), failures.messages());
    }

    @Test
    public void participantRefusesAnObserver_observerStops() throws Exception {
        ensemble = new Ensemble(List.of(2), List.of(1, 3));
        start((effects, name, arguments) -> {});
        links.get().onPeerRefused(3, RefusalKind.ELSEWHERE, "belongs to another cluster");
        assertEquals(List.of(), failures.messages());

        links.get().onPeerRefused(2, RefusalKind.ELSEWHERE, "belongs to another cluster");

        assertClosedAfter("does not belong to servers [2, 3] of its server list");
    }

    /** It observed one server, and they are two participants now: which of them is misplaced nobody can tell. */
    @Test
    public void participantsHaveJoinedSinceTheStart_refusedByTheFormerOnes_replicaGoesOn() throws Exception {
        ensemble = new Ensemble(List.of(2), List.of(1));
        start((effects, name, arguments) -> {});
        replica.get().configure(Ensemble.of(List.of(1, 2)), Map.of());
        links.get().onPeerRefused(2, RefusalKind.ELSEWHERE, "belongs to another cluster");
        assertEquals(List.of(), failures.messages());
    }

    /** The server that it has taken the place of may have gone without a word, and a name service may fail. */
    @Test
    public void peersMayLetThisReplicaInLater_itWaitsAsLongAsALinkMayBeStale() throws Exception {
        ensemble = new Ensemble(List.of(2), List.of(1));
        start((effects, name, arguments) -> {});
        links.get().onPeerRefused(2, RefusalKind.LINKED_ALREADY, "is linked already");
        clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(20));
        links.get().onPeerRefused(2, RefusalKind.UNPROVED, "is not at its address");
        assertEquals(List.of(), failures.messages());

        clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(20));
        links.get().onPeerRefused(2, RefusalKind.LINKED_ALREADY, "is linked already");

        assertClosedAfter("does not belong to servers [2] of its server list: is linked already");
    }

    /** So much can say who reaches the port: the version of another release, and the id of any server. */
    @Test
    public void strangerClaimsToBeAMember_replicaGoesOn() throws Exception {
        NettyPeerTransport port = new NettyPeerTransport(
                TransportSettings.builder(1, "scripted", Map.of(1, new PeerAddress("127.0.0.1", 0)))
                        .build());
        start((effects, name, arguments) -> {}, port);
        byte[] hello = ByteBuffer.allocate(13)
                .putInt(0x43484b50)
                .putShort((short) 1)
                .put((byte) 1)
                .putShort((short) Integer.BYTES)
                .putInt(1)
                .array();
        // One thread serves all connections: when it answers the second one it is through with the first.
        for (int i = 0; i < 2; i++) {
            InetSocketAddress target = port.localAddress();
            try (Socket stranger = new Socket(target.getAddress(), target.getPort())) {
                stranger.getOutputStream().write(hello);
                assertTrue("told that it is refused", stranger.getInputStream().readAllBytes().length > 0);
            }
        }
        assertEquals(List.of(), failures.messages());
    }

    @Test
    public void logCannotBeTakenUp_startSaysSoAndOpensNoLinks() throws Exception {
        start((effects, name, arguments) -> {
            if (name.equals("onStart")) {
                throw new IllegalStateException("the epoch does not decode");
            }
        });
        assertNotNull("the start failed", startFailure);
        assertNull(links.get());
        assertClosedAfter("the epoch does not decode");
    }

    @Test
    public void invariantBroken_replicaStops() throws Exception {
        start((effects, name, arguments) -> {
            if (name.equals("onTick")) {
                throw new IllegalStateException("two and two are five");
            }
        });
        assertClosedAfter("two and two are five");
    }

    /** What is wrong was found too late to know that what the input asked for before is right. */
    @Test
    public void protocolFailsWithinAnInput_nothingThatTheInputAskedForIsDone() throws Exception {
        AtomicInteger sent = new AtomicInteger();
        PeerTransport transport = stub(PeerTransport.class, (name, arguments) -> {
            if (name.equals("send")) {
                sent.incrementAndGet();
            }
        });
        start(
                (effects, name, arguments) -> {
                    if (name.equals("onTick")) {
                        effects.append(new LogRecord(1, 1, ByteSlice.EMPTY, ByteSlice.EMPTY));
                        effects.send(2, stub(Message.class, (of, given) -> {}));
                        effects.deliver(1, batch(1, "half"), PrefixHash.EMPTY);
                        throw new InvariantViolated("two and two are five");
                    }
                },
                transport);
        assertClosedAfter("two and two are five");
        assertEquals(0, sent.get());
        assertFalse(
                application.events().toString(), application.events().toString().contains("half"));
    }

    @Test
    public void applicationThrows_replicaStops() throws Exception {
        start((effects, name, arguments) -> {
            if (name.equals("onStart")) {
                effects.deliver(1, batch(1, RecordingApplication.POISON), PrefixHash.EMPTY);
            }
        });
        assertClosedAfter("poisoned");
    }

    /**
     * While the log is replayed the host waits for the apply thread; if that thread fails, the host must not wait for
     * ever.
     */
    @Test
    public void applicationThrowsDuringReplay_replicaStops() throws Exception {
        application.executions.drainPermits();
        application.executions.release(1);
        start((effects, name, arguments) -> {
            if (name.equals("onStart")) {
                effects.deliver(1, batch(1, RecordingApplication.POISON), PrefixHash.EMPTY);
                for (int i = 2; i <= 1_000; i++) {
                    effects.deliver(i, batch(i, "w" + i), PrefixHash.EMPTY);
                }
            }
        });
        assertClosedAfter("poisoned");
    }

    @Test
    public void acceptorLogFails_replicaStopsAndPromisesNothing() throws Exception {
        log.failSyncs(new IOException("Input/output error"));
        start((effects, name, arguments) -> {
            if (name.equals("onTick")) {
                effects.append(new LogRecord(1, 1, ByteSlice.EMPTY, ByteSlice.EMPTY));
            } else if (name.equals("onDurable")) {
                throw new AssertionError("told that a record is durable");
            }
        });
        assertClosedAfter("Input/output error");
        assertEquals(0, log.callsAfterFailure());
    }

    @Test
    public void acceptorLogCannotBeRead_replicaStops() throws Exception {
        log.failReads(new IOException("checksum differs"));
        start((effects, name, arguments) -> {
            if (name.equals("onStart")) {
                effects.readLog(1, 1_000);
            }
        });
        long begin = System.nanoTime();
        assertClosedAfter("checksum differs");
        assertTrue(
                "the thread that failed was waited for by itself",
                System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(9));
    }

    /** A log whose first of three records has rotted; what reading it says. */
    private static CorruptLogException damage(Path directory) throws IOException {
        try (AcceptorLog rotting =
                AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.SYNC, AcceptorLogSettings.defaults())) {
            rotting.append(new LogRecord(1, 2, ByteSlice.EMPTY, ByteSlice.of(new byte[] {7, 7, 7, 7})));
            rotting.sync();
            Path segment = directory.resolve("0000000001.log");
            byte[] bytes = Files.readAllBytes(segment);
            for (int i = 100; i > 60; i--) {
                bytes[i] ^= 1;
            }
            Files.write(segment, bytes);
            return assertThrows(CorruptLogException.class, () -> rotting.read(1, 1_000));
        }
    }

    @Test
    public void recordForOthersHasRotted_isAsIfDroppedAndTheReplicaGoesOn() throws Exception {
        log.failReads(damage(folder.getRoot().toPath()));
        CountDownLatch answered = new CountDownLatch(1);
        start((effects, name, arguments) -> {
            if (name.equals("onStart")) {
                effects.truncate(5);
                effects.readLog(4, 1_000);
            } else if (name.equals("onLogRead") && ((List<?>) arguments[1]).isEmpty()) {
                answered.countDown();
            }
        });
        assertTrue("answered", answered.await(Failures.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(List.of(), failures.messages());
        Failures.await("the gauge", () -> replica.get().gauges().get("log_damaged_reads") == 1);
    }

    @Test
    public void recordThatIsNeededHasRotted_replicaStops() throws Exception {
        log.failReads(damage(folder.getRoot().toPath()));
        start((effects, name, arguments) -> {
            if (name.equals("onStart")) {
                effects.truncate(5);
                effects.readLog(5, 1_000);
            }
        });
        assertClosedAfter("0000000001.log");
    }

    @Test
    public void protocolNeedsState_applicationIsToldAndReplicaGoesOn() throws Exception {
        start((effects, name, arguments) -> {
            if (name.equals("onTick")) {
                effects.needState(2, 17);
            }
        });
        assertTrue("told", application.stateNeeded.await(Failures.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(application.events().contains("needs 17 from 2"));
        assertEquals(List.of(), failures.messages());
    }

    @Test
    public void closedTwice_isClosedOnce() throws Exception {
        start((effects, name, arguments) -> {});
        replica.get().close();
        replica.get().close();
        assertEquals(List.of(), failures.messages());
    }

    /** What a protocol numbers within an incarnation must not run into the next one if the clock was set back. */
    @Test
    public void clockSetBack_nextIncarnationIsFarFromTheLast() throws Exception {
        start((effects, name, arguments) -> {});
        long last = System.currentTimeMillis() + 1_000_000_000L;
        ScriptedAcceptorLog ahead = new ScriptedAcceptorLog();
        ahead.recovers(new LogRecord(
                LogRecord.METADATA,
                Replica.INCARNATION,
                ByteSlice.of(ByteBuffer.allocate(8).putLong(last).array()),
                ByteSlice.EMPTY));
        assertTrue(Replica.nextIncarnation(ahead.log(), Long.MIN_VALUE, ThreadScheduler.INSTANCE) >= last + 3_600_000);
        assertTrue(Replica.nextIncarnation(new ScriptedAcceptorLog().log(), Long.MIN_VALUE, ThreadScheduler.INSTANCE)
                <= System.currentTimeMillis());
    }

    /** The log may be that of a new disk; the order, or the checkpoint of it, knows more. */
    @Test
    public void orderHoldsALaterIncarnation_nextOneIsAboveIt() throws Exception {
        start((effects, name, arguments) -> {});
        long inOrder = System.currentTimeMillis() + 1_000_000_000L;
        AcceptorLog blank = new ScriptedAcceptorLog().log();
        assertTrue(Replica.nextIncarnation(blank, inOrder, ThreadScheduler.INSTANCE) > inOrder);
        assertTrue(Replica.nextIncarnation(blank, 1, ThreadScheduler.INSTANCE) >= System.currentTimeMillis() - 60_000);
    }

    /** The first of them may have proposed what is ordered only after its disk is lost, too. */
    @Test
    public void twoStartsKnowOfTheSameLatest_haveDifferentNumbers() throws Exception {
        start((effects, name, arguments) -> {});
        long inOrder = 2_000_000_000_000L;
        long one = Replica.incarnationAfter(inOrder, 1, bound -> 0);
        long other = Replica.incarnationAfter(inOrder, 1, bound -> bound - 1);
        assertNotEquals(one, other);
        assertTrue(Math.min(one, other) >= inOrder + 3_600_000);
        assertEquals(inOrder + 1, Replica.incarnationAfter(inOrder, inOrder + 1, bound -> 5));
        long ahead = System.currentTimeMillis() + 1_000_000_000L;
        AcceptorLog blank = new ScriptedAcceptorLog().log();
        Set<Long> drawn = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            drawn.add(Replica.nextIncarnation(blank, ahead, ThreadScheduler.INSTANCE));
        }
        assertTrue("the clock alone would not tell them apart: " + drawn, drawn.size() > 15);
    }
}
