package io.chainkeeper.server.tracing;

import io.chainkeeper.replica.StageTimes;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * When a request passed its stages at the server of its client, and what took most of the time. Times are those of one
 * monotonic clock, in nanoseconds.
 */
final class Stages {
    private final long received;
    private final long answered;
    private final Map<String, Long> times = new LinkedHashMap<>();
    private final Map<Part, Long> parts = new EnumMap<>(Part.class);
    private long reached;

    private Stages(long received, long answered) {
        this.received = received;
        this.answered = answered;
        this.reached = received;
    }

    /**
     * Of a write.
     *
     * @param received when it arrived
     * @param proposed when the protocol was given it
     * @param order of the position that holds it
     * @param answered when it was answered
     */
    static Stages ofWrite(long received, long proposed, StageTimes order, long answered) {
        Stages stages = new Stages(received, answered);
        // It arrived within the millisecond that ZooKeeper notes.
        stages.reach("proposed", Math.max(received, proposed), Part.ROOM);
        stages.reach("accepted", order.accepted(), Part.LEADER);
        // What became durable here only after the others had decided has kept nobody waiting.
        boolean waited = order.durable() != StageTimes.UNKNOWN
                && order.delivered() != StageTimes.UNKNOWN
                && order.durable() - order.delivered() <= 0;
        if (waited) {
            stages.reach("durable here", order.durable(), Part.DISK);
        } else {
            stages.note("durable here", order.durable());
        }
        stages.reach("ordered", order.delivered(), Part.OTHERS);
        stages.reach("executed from", order.begun(), Part.TURN);
        stages.reach("answered", answered, Part.EXECUTION);
        return stages;
    }

    /**
     * Of a request that is not ordered.
     *
     * @param received when it arrived
     * @param barrier when it was known how far the state has to be; unknown if it waited for nothing
     * @param answered when it was answered
     */
    static Stages ofRead(long received, long barrier, long answered) {
        Stages stages = new Stages(received, answered);
        if (barrier == StageTimes.UNKNOWN) {
            stages.reach("answered", answered, Part.EXECUTION);
        } else {
            stages.reach("barrier reached", Math.max(received, barrier), Part.BARRIER);
            stages.reach("answered", answered, Part.TURN);
        }
        return stages;
    }

    private void note(String stage, long nanos) {
        if (nanos != StageTimes.UNKNOWN) {
            times.put(stage, nanos);
        }
    }

    private void reach(String stage, long nanos, Part part) {
        if (nanos == StageTimes.UNKNOWN) {
            return;
        }
        note(stage, nanos);
        parts.merge(part, Math.max(0, nanos - reached), Long::sum);
        reached = Math.max(reached, nanos);
    }

    /** Returns what the request has spent most of its time with. */
    Part most() {
        Part most = Part.EXECUTION;
        for (Map.Entry<Part, Long> part : parts.entrySet()) {
            if (part.getValue() > parts.getOrDefault(most, 0L)) {
                most = part.getKey();
            }
        }
        return most;
    }

    long totalMillis() {
        return TimeUnit.NANOSECONDS.toMillis(answered - received);
    }

    /** Returns the stages in words, each with the milliseconds since the request arrived. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("received 0");
        times.forEach((stage, nanos) -> text.append(", ")
                .append(stage)
                .append(' ')
                .append(TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanos - received))));
        return text.append(" ms").toString();
    }
}
