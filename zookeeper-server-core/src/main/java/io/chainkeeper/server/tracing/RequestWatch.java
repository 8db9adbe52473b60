package io.chainkeeper.server.tracing;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.RequestTracing;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.StageTimes;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.proposal.ClientProposal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.Request;

/**
 * Sees the requests of this server's clients when they are answered and all commands when they are executed. Logs those
 * requests that took long, and keeps the latest traces: of the commands whose number is a multiple of {@code
 * ordering.traceEvery}, which are the same at all servers, and of all requests of sessions that are watched. A request
 * that is neither slow nor traced costs a look at the clock. Any thread, where nothing else is said.
 */
public final class RequestWatch {
    /** Traces that are kept. */
    public static final int KEPT = 1_024;

    /** {@link #begins}: the command is not traced. */
    public static final long NOT_TRACED = StageTimes.UNKNOWN;

    private final boolean works;
    private final long slowNanos;
    private final int traceEvery;
    private final LongSupplier clockNanos;
    private final LongSupplier wallMicros;
    private final LongSupplier lastZxid;
    private final Supplier<TotalOrder> order;
    private final SlowRequests slow;
    private final WatchedSessions sessions = new WatchedSessions();
    private final ArrayDeque<Trace> traces = new ArrayDeque<>();

    /**
     * @param settings what is logged and traced
     * @param clockNanos the clock by which requests bear their times: {@link System#nanoTime}
     * @param wallMicros the wall clock, microseconds since 1970
     * @param lastZxid of the tree
     * @param order knows when positions passed their stages; gives null before it has been started
     */
    public RequestWatch(
            RequestTracing settings,
            LongSupplier clockNanos,
            LongSupplier wallMicros,
            LongSupplier lastZxid,
            Supplier<TotalOrder> order) {
        this.works = !settings.equals(RequestTracing.NONE);
        this.slowNanos = settings.slowRequestMillis() == 0
                ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(settings.slowRequestMillis());
        this.traceEvery = settings.traceEvery();
        this.clockNanos = clockNanos;
        this.wallMicros = wallMicros;
        this.lastZxid = lastZxid;
        this.order = order;
        this.slow = new SlowRequests(settings.slowRequestMillis());
    }

    /**
     * One that sees nothing, where time is not the system's.
     *
     * @param lastZxid as for one that does
     * @param order as for one that does
     */
    public static RequestWatch none(LongSupplier lastZxid, Supplier<TotalOrder> order) {
        return new RequestWatch(RequestTracing.NONE, () -> 0, () -> 0, lastZxid, order);
    }

    /**
     * Apply thread: a command is about to be executed.
     *
     * @param command the command
     * @return when, for {@link #executed}; {@link #NOT_TRACED} if nobody wants to know
     */
    public long begins(ProposedCommand command) {
        boolean traced = traceEvery > 0 && command.sequence() % traceEvery == 0 || works && sessions.any();
        return traced ? clockNanos.getAsLong() : NOT_TRACED;
    }

    /**
     * Apply thread: a command has been executed, and its client answered if it is this server's.
     *
     * @param position that holds it
     * @param command the command
     * @param own this replica's own proposal, or null
     * @param begun what {@link #begins} has given
     */
    public void executed(long position, ProposedCommand command, Proposal own, long begun) {
        ClientProposal client = own instanceof ClientProposal proposal ? proposal : null;
        if (!works || client == null && begun == NOT_TRACED) {
            return;
        }
        long now = clockNanos.getAsLong();
        if (client != null && now - received(client.request()) > slowNanos) {
            reportWrite(position, client, now);
        }
        if (begun != NOT_TRACED) {
            trace(position, command, client, begun, now);
        }
    }

    /**
     * A request has been answered that was not ordered.
     *
     * @param request the request
     * @param barrierNanos when it was known how far the state has to be for it, or {@link StageTimes#UNKNOWN}
     */
    public void answered(Request request, long barrierNanos) {
        if (!works || request.cnxn == null) {
            return;
        }
        long now = clockNanos.getAsLong();
        if (now - received(request) > slowNanos) {
            slow.report(
                    Stages.ofRead(received(request), barrierNanos, now),
                    () -> what(request, RequestPath.of(request.type, payload(request))),
                    now);
        }
        if (sessions.any() && sessions.contain(request.sessionId, now)) {
            traceRead(request, barrierNanos, now);
        }
    }

    private static long received(Request request) {
        return TimeUnit.MILLISECONDS.toNanos(request.createTime);
    }

    private static ByteSlice payload(Request request) {
        byte[] bytes = request.readRequestBytes();
        return bytes == null ? null : ByteSlice.of(bytes);
    }

    private StageTimes stages(long position) {
        TotalOrder started = order.get();
        return started == null ? StageTimes.NONE : started.stages(position);
    }

    private void reportWrite(long position, ClientProposal client, long now) {
        Request request = client.request();
        slow.report(
                Stages.ofWrite(received(request), client.proposedNanos(), stages(position), now),
                () -> what(
                                request,
                                RequestPath.of(request.type, client.decoded().payload())) + ", zxid 0x"
                        + Long.toHexString(request.zxid) + ", position " + position,
                now);
    }

    private static String what(Request request, String path) {
        return Request.op2String(request.type) + " " + path + " of session 0x" + Long.toHexString(request.sessionId)
                + ", client " + request.cnxn.getRemoteSocketAddress();
    }

    private void trace(long position, ProposedCommand command, ClientProposal client, long begun, long now) {
        StageTimes times = stages(position);
        Command.ClientRequest request = client != null ? client.decoded() : decoded(command);
        boolean isReplayed = times.delivered() == StageTimes.UNKNOWN;
        if (request == null || isReplayed || !isSampled(command) && !sessions.contain(request.sessionId(), now)) {
            return;
        }
        Map<String, Long> stages = new HashMap<>(Map.of("begun", begun, "executed", now));
        if (client != null) {
            stages.put("received", received(client.request()));
            stages.put("proposed", client.proposedNanos());
            stages.put("answered", now);
        }
        add(new Trace(
                command,
                request.sessionId(),
                request.cxid(),
                Request.op2String(request.opcode()),
                RequestPath.of(request.opcode(), request.payload()),
                client != null ? client.request().zxid : lastZxid.getAsLong(),
                position,
                times,
                stages,
                epochMicros()));
    }

    private boolean isSampled(ProposedCommand command) {
        return traceEvery > 0 && command.sequence() % traceEvery == 0;
    }

    /** Returns null for a command that is not a client's, or cannot be read. */
    private static Command.ClientRequest decoded(ProposedCommand command) {
        try {
            return CommandCodec.decode(command.command()) instanceof Command.ClientRequest request ? request : null;
        } catch (MalformedMessageException e) {
            // Execution has just said what is to be said.
            return null;
        }
    }

    private void traceRead(Request request, long barrierNanos, long now) {
        Map<String, Long> stages = Map.of("received", received(request), "barrier", barrierNanos, "answered", now);
        add(new Trace(
                null,
                request.sessionId,
                request.cxid,
                Request.op2String(request.type),
                RequestPath.of(request.type, payload(request)),
                lastZxid.getAsLong(),
                0,
                StageTimes.NONE,
                stages,
                epochMicros()));
    }

    private long epochMicros() {
        return wallMicros.getAsLong() - TimeUnit.NANOSECONDS.toMicros(clockNanos.getAsLong());
    }

    private void add(Trace trace) {
        synchronized (traces) {
            if (traces.size() == KEPT) {
                traces.removeFirst();
            }
            traces.addLast(trace);
        }
    }

    /**
     * Has all requests of a session traced for ten minutes, at this server those that it executes.
     *
     * @param sessionId the session
     * @return false if too many sessions are watched already
     */
    public boolean watch(long sessionId) {
        return works && sessions.watch(sessionId, clockNanos.getAsLong());
    }

    /** @return of how many commands one is traced, 0 for none */
    public int traceEvery() {
        return traceEvery;
    }

    /**
     * @param limit of how many
     * @param sessionId of this session only; null of all
     * @return the latest traces, the latest last, as the AdminServer shows them
     */
    public List<Map<String, Object>> traces(int limit, Long sessionId) {
        ArrayDeque<Trace> latest = new ArrayDeque<>();
        synchronized (traces) {
            for (Iterator<Trace> all = traces.descendingIterator(); all.hasNext() && latest.size() < limit; ) {
                Trace trace = all.next();
                if (sessionId == null || trace.sessionId() == sessionId) {
                    latest.addFirst(trace);
                }
            }
        }
        List<Map<String, Object>> shown = new ArrayList<>();
        latest.forEach(trace -> shown.add(trace.shown(stages(trace.position()).durable())));
        return shown;
    }

    /** @return numbers for monitoring, names without the prefix */
    public Map<String, LongSupplier> gauges() {
        return Map.of("slow_requests", slow::count);
    }
}
