package io.chainkeeper.server.tracing;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.command.AccessRules;
import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.RequestTracing;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.StageTimes;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.transport.PeerAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.slf4j.LoggerFactory;

public class RequestWatchTest {
    private static final long SESSION = 0x1000L;
    private static final int EVERY = 4;

    private final Logger logger = (Logger) LoggerFactory.getLogger(SlowRequests.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long nowNanos = TimeUnit.SECONDS.toNanos(50);
    private StageTimes times;
    private final RequestWatch watch = watch(new RequestTracing(1_000, EVERY));

    private RequestWatch watch(RequestTracing settings) {
        return new RequestWatch(settings, () -> nowNanos, () -> 1_000_000_000, () -> 0x77, () -> new KnownStages());
    }

    /** An order that knows of stages, and nothing else. */
    private final class KnownStages implements TotalOrder {
        @Override
        public StageTimes stages(long position) {
            return times;
        }

        @Override
        public boolean propose(Proposal proposal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean offer(Proposal proposal) {
            return propose(proposal);
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            throw new UnsupportedOperationException();
        }

        @Override
        public OrderingStatus status() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, Long> gauges() {
            return Map.of();
        }

        @Override
        public Set<Integer> linkedPeers() {
            return Set.of();
        }

        @Override
        public int streamCount() {
            return 1;
        }

        @Override
        public void checkpointTaken(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
            throw new UnsupportedOperationException();
        }
    }

    @Before
    public void listen() {
        lines.start();
        logger.addAppender(lines);
        times = new StageTimes(nowNanos, nowNanos, nowNanos, nowNanos);
    }

    @After
    public void listenNoMore() {
        logger.detachAppender(lines);
    }

    private static ProposedCommand command(int proposer, long sequence, long sessionId) {
        ByteBuffer record = ByteBuffer.allocate(6).putInt(2).put(new byte[] {'/', 'a'});
        Command.ClientRequest request = new Command.ClientRequest(
                1,
                sessionId,
                9,
                OpCode.setData,
                List.of(),
                ByteSlice.of(record.array()),
                Command.ClientRequest.QUOTA_KEPT,
                false,
                0,
                AccessRules.ALL_LISTS_HOLD);
        return new ProposedCommand(proposer, 5, 0, sequence, CommandCodec.encode(request));
    }

    private void execute(ProposedCommand command) {
        long begun = watch.begins(command);
        nowNanos += 1_000;
        watch.executed(3, command, null, begun);
    }

    private List<String> traced(Long sessionId) {
        return watch.traces(RequestWatch.KEPT, sessionId).stream()
                .map(trace -> (String) trace.get("command"))
                .collect(Collectors.toList());
    }

    @Test
    public void commandsOfOthers_areTracedByTheirNumbers() {
        for (int sequence = 1; sequence <= 9; sequence++) {
            execute(command(2, sequence, SESSION));
        }
        assertEquals(List.of("2.5/0#4", "2.5/0#8"), traced(null));
        Map<String, Object> trace = watch.traces(1, null).get(0);
        assertEquals("0x1000", trace.get("session_id"));
        assertEquals("setData", trace.get("op"));
        assertEquals("/a", trace.get("path"));
        assertEquals("0x77", trace.get("zxid"));
        assertEquals(
                Set.of("accepted", "durable", "ordered", "begun", "executed"),
                ((Map<?, ?>) trace.get("stages_micros")).keySet());
    }

    @Test
    public void watchedSession_isTracedAlwaysAndForTenMinutes() {
        assertTrue(watch.watch(SESSION));
        execute(command(2, 1, SESSION));
        execute(command(2, 2, 0x2000L));
        assertEquals(List.of("2.5/0#1"), traced(null));
        assertEquals(List.of(), traced(0x2000L));
        nowNanos += TimeUnit.MINUTES.toNanos(WatchedSessions.MINUTES);
        execute(command(2, 3, SESSION));
        assertEquals(List.of("2.5/0#1"), traced(SESSION));
        assertEquals("nobody is watched any more", RequestWatch.NOT_TRACED, watch.begins(command(2, 5, SESSION)));
    }

    @Test
    public void tooManyWatchedSessions_areRefused() {
        for (int session = 1; session <= WatchedSessions.MOST; session++) {
            assertTrue(watch.watch(session));
        }
        assertFalse(watch.watch(SESSION));
        assertTrue("it is watched already", watch.watch(1));
    }

    @Test
    public void manyTraces_theLatestAreKept() {
        for (int i = 1; i <= RequestWatch.KEPT + 3; i++) {
            execute(command(2, (long) EVERY * i, SESSION));
        }
        assertEquals(RequestWatch.KEPT, traced(null).size());
        assertEquals("2.5/0#" + EVERY * 4, traced(null).get(0));
        assertEquals(2, watch.traces(2, null).size());
    }

    /** A command's bytes are a view of its whole batch. */
    @Test
    public void trace_keepsNoBytesOfItsCommand() {
        ProposedCommand whole = command(2, EVERY, SESSION);
        Trace trace = new Trace(whole, SESSION, 9, "setData", "/a", 0x77, 3, times, Map.of(), 0);
        assertSame(ByteSlice.EMPTY, trace.command().command());
        assertEquals(Trace.name(whole), trace.shown(0).get("command"));
        assertEquals(2, trace.shown(0).get("proposer"));
    }

    /** What a start finds in the log is executed, and was traced when it came. */
    @Test
    public void replayedCommand_isNotTraced() {
        times = StageTimes.NONE;
        execute(command(2, EVERY, SESSION));
        assertEquals(List.of(), traced(null));
    }

    @Test
    public void durableOnlyAfterTheExecution_isShownWhenItIsKnown() {
        times = new StageTimes(1_000, StageTimes.UNKNOWN, 2_000, 3_000);
        execute(command(2, EVERY, SESSION));
        Map<?, ?> early = (Map<?, ?>) watch.traces(1, null).get(0).get("stages_micros");
        assertFalse(early.toString(), early.containsKey("durable"));
        times = new StageTimes(1_000, 9_000, 2_000, 3_000);
        Map<?, ?> late = (Map<?, ?>) watch.traces(1, null).get(0).get("stages_micros");
        assertEquals((Long) late.get("ordered") + 7, (long) (Long) late.get("durable"));
    }

    @Test
    public void slowRequests_areCountedAndLoggedOnceASecondForEachPart() {
        SlowRequests slow = new SlowRequests(1_000);
        for (int i = 0; i < 100; i++) {
            long now = TimeUnit.MILLISECONDS.toNanos(10L * i);
            slow.report(
                    Stages.ofRead(now - TimeUnit.SECONDS.toNanos(2), now, now),
                    () -> "getData /a of session 0x1, client /127.0.0.1:1",
                    now);
        }
        assertEquals(100, slow.count());
        assertEquals(1, lines.list.size());
        assertEquals(
                "Slow request: getData /a of session 0x1, client /127.0.0.1:1, took 2000 ms, most of it the question to"
                        + " the other servers what a read has to see: the network, or no leader: received 0, barrier"
                        + " reached 2000, answered 2000 ms (ordering.slowRequestMillis=1000)",
                lines.list.get(0).getFormattedMessage());
        long later = TimeUnit.SECONDS.toNanos(2);
        slow.report(Stages.ofRead(0, later, later), () -> "what", later);
        String second = lines.list.get(1).getFormattedMessage();
        assertTrue(second, second.endsWith("(99 more since the last report)"));
    }

    @Test
    public void nothingIsWanted_nothingIsSeen() {
        RequestWatch none = RequestWatch.none(() -> 0, () -> null);
        assertEquals(RequestWatch.NOT_TRACED, none.begins(command(2, EVERY, SESSION)));
        none.executed(3, command(2, EVERY, SESSION), null, RequestWatch.NOT_TRACED);
        assertFalse(none.watch(SESSION));
        assertEquals(List.of(), none.traces(10, null));
    }
}
