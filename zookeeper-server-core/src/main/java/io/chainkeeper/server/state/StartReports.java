package io.chainkeeper.server.state;

import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.ordering.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * What each replica has said with its starts: the number of the start, its settings, and the longest transaction that
 * it can read back. Part of the replicated state. Changed by the apply thread, may be read by any.
 *
 * <pre>
 * incarnations, then transactionBytes and settings unless they are empty
 * each: count int, that many: replica int, number long
 * </pre>
 */
final class StartReports {
    private static final int ENTRY_BYTES = Integer.BYTES + Long.BYTES;

    private final Map<Integer, Long> incarnations = new TreeMap<>();

    /** No part of what replicas have in common. */
    private final Map<Integer, Long> startsMillis = new TreeMap<>();

    private final Map<Integer, Long> transactionBytes = new TreeMap<>();
    private final Map<Integer, Long> settings = new TreeMap<>();

    /** A replica has started, at an agreed time. */
    synchronized void started(int replica, long incarnation, long timeMillis) {
        incarnations.put(replica, incarnation);
        startsMillis.put(replica, timeMillis);
    }

    /** A replica says how long the transactions may be that it can read back. */
    synchronized void readsTransactionsUpTo(int replica, long bytes) {
        transactionBytes.put(replica, bytes);
    }

    /** A replica says the number of its settings, see {@link SharedSettings}. */
    synchronized void hasSettings(int replica, long number) {
        settings.put(replica, number);
    }

    /** The newest incarnation of a replica that has said that it started, {@link Long#MIN_VALUE} if none has. */
    synchronized long incarnationOf(int replica) {
        return incarnations.getOrDefault(replica, Long.MIN_VALUE);
    }

    /** All replicas that have ever started. */
    synchronized Set<Integer> replicas() {
        return new TreeSet<>(incarnations.keySet());
    }

    /** The agreed time of the newest start, 0 if none has been executed since this replica's own. */
    synchronized long lastStartMillis() {
        return startsMillis.values().stream().mapToLong(millis -> millis).max().orElse(0);
    }

    /** The agreed time of a replica's newest start. */
    synchronized long startMillis(int replica, long ifUnknown) {
        return startsMillis.getOrDefault(replica, ifUnknown);
    }

    /** The longest transaction that all can read back whose word counts; {@link Long#MAX_VALUE} if none has said. */
    synchronized long leastTransactionBytes(IntPredicate counts) {
        return transactionBytes.entrySet().stream()
                .filter(said -> counts.test(said.getKey()))
                .mapToLong(Map.Entry::getValue)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether one of these servers has said that it takes {@code reconfig}. */
    synchronized boolean anyEnablesReconfig(Set<Integer> servers) {
        return servers.stream()
                .map(settings::get)
                .anyMatch(number -> number != null && SharedSettings.enablesReconfig(number));
    }

    /** Whether all of these servers have said that they take no {@code reconfig}. */
    synchronized boolean allDisableReconfig(Set<Integer> servers) {
        return servers.stream()
                .map(settings::get)
                .allMatch(number -> number != null && !SharedSettings.enablesReconfig(number));
    }

    synchronized boolean sayTransactionBytes() {
        return !transactionBytes.isEmpty();
    }

    synchronized boolean saySettings() {
        return !settings.isEmpty();
    }

    synchronized int encodedBytes() {
        return Integer.BYTES
                + incarnations.size() * ENTRY_BYTES
                + encodedBytes(transactionBytes)
                + encodedBytes(settings);
    }

    private static int encodedBytes(Map<Integer, Long> numbers) {
        return numbers.isEmpty() ? 0 : Integer.BYTES + numbers.size() * ENTRY_BYTES;
    }

    synchronized void put(ByteBuffer out) {
        put(incarnations, out);
        if (!transactionBytes.isEmpty()) {
            put(transactionBytes, out);
        }
        if (!settings.isEmpty()) {
            put(settings, out);
        }
    }

    private static void put(Map<Integer, Long> numbers, ByteBuffer out) {
        out.putInt(numbers.size());
        numbers.forEach((replica, number) -> out.putInt(replica).putLong(number));
    }

    /** Reads back what {@link #put} wrote. */
    static StartReports get(ByteBuffer in, boolean sayTransactionBytes, boolean saySettings)
            throws MalformedMessageException {
        StartReports reports = new StartReports();
        read(in, reports.incarnations);
        if (sayTransactionBytes) {
            read(in, reports.transactionBytes);
        }
        if (saySettings) {
            read(in, reports.settings);
        }
        return reports;
    }

    private static void read(ByteBuffer in, Map<Integer, Long> numbers) throws MalformedMessageException {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / ENTRY_BYTES) {
            throw new MalformedMessageException("side state claims " + count + " replicas");
        }
        for (int i = 0; i < count; i++) {
            numbers.put(in.getInt(), in.getLong());
        }
    }
}
