package io.chainkeeper.server.tracing;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.StageTimes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One request as this server has seen it.
 *
 * @param command its command, without its bytes; null of one that is not ordered
 * @param sessionId its session
 * @param cxid its number in its session
 * @param op its operation
 * @param path see {@link RequestPath}
 * @param zxid after it
 * @param position that holds it, 0 of one that is not ordered
 * @param order when that position passed its stages here
 * @param stages further stages, in nanoseconds of the same clock
 * @param epochMicros the wall clock, microseconds since 1970, at the zero of that clock
 */
record Trace(
        ProposedCommand command,
        long sessionId,
        int cxid,
        String op,
        String path,
        long zxid,
        long position,
        StageTimes order,
        Map<String, Long> stages,
        long epochMicros) {
    Trace {
        if (command != null) {
            // Its bytes are a view of the whole batch, which would stay in memory with it.
            command = new ProposedCommand(
                    command.proposer(), command.incarnation(), command.stream(), command.sequence(), ByteSlice.EMPTY);
        }
    }

    /**
     * @param durable when the position became durable here, if that was not known yet
     * @return the trace as others read it
     */
    Map<String, Object> shown(long durable) {
        Map<String, Object> shown = new LinkedHashMap<>();
        if (command != null) {
            shown.put("command", name(command));
            shown.put("proposer", command.proposer());
            shown.put("position", position);
        }
        shown.put("session_id", "0x" + Long.toHexString(sessionId));
        shown.put("cxid", cxid);
        shown.put("op", op);
        shown.put("path", path);
        shown.put("zxid", "0x" + Long.toHexString(zxid));
        Map<String, Long> micros = new LinkedHashMap<>();
        put(micros, "received", stages.get("received"));
        put(micros, "proposed", stages.get("proposed"));
        put(micros, "barrier", stages.get("barrier"));
        put(micros, "accepted", order.accepted());
        put(micros, "durable", order.durable() == StageTimes.UNKNOWN ? durable : order.durable());
        put(micros, "ordered", order.delivered());
        put(micros, "begun", stages.get("begun"));
        put(micros, "executed", stages.get("executed"));
        put(micros, "answered", stages.get("answered"));
        shown.put("stages_micros", micros);
        return shown;
    }

    private void put(Map<String, Long> micros, String stage, Long nanos) {
        if (nanos != null && nanos != StageTimes.UNKNOWN) {
            micros.put(stage, epochMicros + TimeUnit.NANOSECONDS.toMicros(nanos));
        }
    }

    /** The name by which all servers know a command. */
    static String name(ProposedCommand command) {
        return command.proposer() + "." + command.incarnation() + "/" + command.stream() + "#" + command.sequence();
    }
}
