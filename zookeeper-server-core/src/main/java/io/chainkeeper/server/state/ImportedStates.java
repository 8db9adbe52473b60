package io.chainkeeper.server.state;

import io.chainkeeper.command.ImportedState;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the replicas' directories held before there was an order, as far as they have reported it, until the cluster is
 * formed; after that what it began with. Changed by the apply thread, may be read by any.
 */
public final class ImportedStates {
    private final Map<Integer, ImportedState> reports = new TreeMap<>();
    private final SortedSet<Integer> goesWithout = new TreeSet<>();
    private ImportedState origin;

    /**
     * A replica has said what it holds.
     *
     * @param replica replica id
     * @param state what it holds
     * @param without replicas that its user wants the cluster to be formed without
     */
    public synchronized void report(int replica, ImportedState state, List<Integer> without) {
        reports.put(replica, state);
        goesWithout.addAll(without);
    }

    /**
     * @param replica replica id
     * @return what it has reported, null if nothing or if the cluster has been formed
     */
    public synchronized ImportedState of(int replica) {
        return reports.get(replica);
    }

    /** @return a copy of the reports, by replica id */
    public synchronized Map<Integer, ImportedState> reports() {
        return new TreeMap<>(reports);
    }

    /** @return replicas that the cluster may be formed without, by the user's decision */
    public synchronized SortedSet<Integer> goesWithout() {
        return new TreeSet<>(goesWithout);
    }

    /** @return what the cluster began with, null while it has not been formed */
    public synchronized ImportedState origin() {
        return origin;
    }

    /** @param begunWith what the cluster begins with; the reports are no longer needed */
    public synchronized void formed(ImportedState begunWith) {
        origin = begunWith;
        reports.clear();
        goesWithout.clear();
    }

    synchronized int encodedBytes() {
        return ImportedState.BYTES
                + 2 * Integer.BYTES
                + reports.size() * (Integer.BYTES + ImportedState.BYTES)
                + goesWithout.size() * Integer.BYTES;
    }

    synchronized void put(ByteBuffer out) {
        ImportedState.put(origin, out);
        out.putInt(reports.size());
        reports.forEach((replica, state) -> {
            out.putInt(replica);
            ImportedState.put(state, out);
        });
        out.putInt(goesWithout.size());
        goesWithout.forEach(out::putInt);
    }

    static ImportedStates get(ByteBuffer in) {
        ImportedStates states = new ImportedStates();
        states.origin = ImportedState.get(in);
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            states.reports.put(in.getInt(), ImportedState.get(in));
        }
        int without = in.getInt();
        for (int i = 0; i < without; i++) {
            states.goesWithout.add(in.getInt());
        }
        return states;
    }
}
