package io.chainkeeper.server.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.monitoring.LoadHistory;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What this server says about itself, on its own status page and to the other members, who ask for it beside the links
 * ({@link MemberReports}). Safe for use by any thread.
 */
public final class MemberReport {
    private static final long FSYNC_ALARM_MICROS = 1_000_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The first byte of a question; requests for state begin with others. The second says what is wanted. */
    private static final byte QUESTION = 'M';

    private final OrderedZooKeeperServer server;
    private final OrderView view;
    private final Readiness readiness;
    private final Map<String, LongSupplier> further;
    private final LoadReport load;

    /** What a member can be asked for. */
    enum Wanted {
        /** How it is. */
        REPORT(1),
        /** What its load was lately. */
        LOAD(2);

        private final byte code;

        Wanted(int code) {
            this.code = (byte) code;
        }

        ByteSlice question() {
            return ByteSlice.of(new byte[] {QUESTION, code});
        }
    }

    /**
     * @param server the server
     * @param view what this replica knows about the order
     * @param clientPortProblem why clients cannot connect, null if they can
     * @param further numbers beside those of the order, without prefix
     */
    public MemberReport(
            OrderedZooKeeperServer server,
            OrderView view,
            Supplier<String> clientPortProblem,
            Map<String, LongSupplier> further) {
        this.server = server;
        this.view = view;
        this.readiness = new Readiness(server, view, clientPortProblem);
        this.further = further;
        this.load = new LoadReport(view);
    }

    /**
     * Answers the members' questions for this report.
     *
     * @param state answers all others
     * @return answers both
     */
    public StateOffer answeredBeside(StateOffer state) {
        return (peer, request, promise) -> request.length() == 2 && request.get(0) == QUESTION
                ? answer(request.get(1))
                : state.answer(peer, request, promise);
    }

    /** A later release may want more; this one says what it knows. */
    private ByteSlice answer(byte wanted) {
        try {
            return ByteSlice.of(MAPPER.writeValueAsBytes(wanted == Wanted.LOAD.code ? load.create() : create()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of texts and numbers cannot be written: " + e, e);
        }
    }

    LoadReport load() {
        return load;
    }

    Readiness readiness() {
        return readiness;
    }

    /** All numbers of the order and of this server, without prefix. */
    Map<String, Long> gauges() {
        Map<String, Long> gauges = new TreeMap<>(view.gauges());
        further.forEach((name, number) -> gauges.put(name, number.getAsLong()));
        return gauges;
    }

    Map<String, Object> create() {
        Map<String, Long> gauges = gauges();
        LoadHistory.Point newest = view.load().newest();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("state", server.getState());
        report.put("serving", server.isServing());
        report.put("leader", view.status().leader());
        report.put("release", Release.name());
        report.put("feature_level", gauges.getOrDefault("feature_level", 0L));
        report.put("decided", gauges.getOrDefault("max_decided", 0L));
        report.put("executed", gauges.getOrDefault("applied_position", 0L));
        report.put("lag_millis", Math.max(0, view.lagMillis(view.replicaId())));
        report.put("writes_per_second", newest == null ? null : LoadReport.rounded(newest.ownPerSecond()));
        report.put("sessions", server.getZKDatabase().getSessionCount());
        report.put("connections", server.serverStats().getNumAliveClientConnections());
        report.put("uptime_millis", server.serverStats().getUptime());
        report.put("alarms", alarms(gauges));
        return report;
    }

    /** What is wrong with this server itself, one line each. */
    List<String> alarms(Map<String, Long> gauges) {
        List<String> alarms = new ArrayList<>();
        String reason = readiness.reasonNotReady();
        if (reason != null) {
            alarms.add("Not ready: " + reason);
        }
        if (gauges.getOrDefault("audit_undecided", 0L) != 0) {
            alarms.add(
                    "The states of the servers differ and no majority agrees (docs/operations.md, Divergence alarm)");
        }
        if (gauges.getOrDefault("disk_low", 0L) != 0) {
            alarms.add("Disk low: writes of this server's clients are refused (docs/operations.md, Disk full)");
        }
        if (gauges.getOrDefault("ring_low", 0L) != 0) {
            alarms.add("Rings on the shared disks nearly full: clients' writes are refused because of server "
                    + gauges.get("ring_held_by") + " (docs/operations.md, Shared disks)");
        }
        if (gauges.getOrDefault("disks_in_use", 0L) < gauges.getOrDefault("disks", 0L)) {
            alarms.add("Of " + gauges.get("disks") + " shared disks " + gauges.get("disks_in_use")
                    + " are used, " + gauges.get("disks_needed")
                    + " are needed; the log says why (docs/operations.md, Shared disks)");
        }
        if (gauges.getOrDefault("heap_low", 0L) != 0) {
            alarms.add("Heap low: writes that make the tree grow are refused (docs/operations.md, Heap full)");
        }
        if (gauges.getOrDefault("sequences_near_end", 0L) != 0) {
            alarms.add("Sequence numbers of a znode are near their end; the log names it");
        }
        if (gauges.getOrDefault("fsync_micros_max", 0L) > FSYNC_ALARM_MICROS) {
            alarms.add("Forcing the log took up to " + gauges.get("fsync_micros_max") / 1000 + " ms lately");
        }
        return alarms;
    }
}
