package io.chainkeeper.iss;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ValueSlabs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Decided values near the end of the order; every one whose record is not durable is among them. Those that only
 * laggards still ask for are in slabs ({@link ValueSlabs}), so that the arrays they came in die young.
 */
final class RecentValues {
    private record Recent(ValueSlabs.Kept value, long sequence) {}

    private final IssSettings settings;
    private final TreeMap<Long, Recent> values = new TreeMap<>();
    private final ValueSlabs slabs;
    private long bytes;

    /** Every value up to here is in slabs. */
    private long lastInSlabs;

    RecentValues(IssSettings settings) {
        this.settings = settings;
        slabs = new ValueSlabs(settings.recentBytes());
    }

    /**
     * @param position higher than all before
     * @param value decided there
     * @param sequence of its record; the highest one while there is no record
     */
    void add(long position, ByteSlice value, long sequence) {
        values.put(position, new Recent(ValueSlabs.own(value), sequence));
        bytes += value.length();
    }

    /** The record of a value that had none is in the log. */
    void recorded(long position, long sequence) {
        values.computeIfPresent(position, (key, recent) -> new Recent(recent.value(), sequence));
    }

    boolean contains(long position) {
        return values.containsKey(position);
    }

    /** The value at a position, maybe a copy; null if it is not here. */
    ByteSlice value(long position) {
        Recent recent = values.get(position);
        return recent == null ? null : recent.value().value();
    }

    /** The lowest position here; without any, the one given. */
    long firstOr(long none) {
        return values.isEmpty() ? none : values.firstKey();
    }

    /** Values of consecutive positions, as many as go together, but one at least if it is here. */
    List<ByteSlice> from(long position, long maxBytes) {
        List<ByteSlice> consecutive = new ArrayList<>();
        long size = 0;
        for (Map.Entry<Long, Recent> entry : values.tailMap(position).entrySet()) {
            ValueSlabs.Kept value = entry.getValue().value();
            if (entry.getKey() != position + consecutive.size()
                    || !consecutive.isEmpty() && size + value.length() > maxBytes) {
                break;
            }
            consecutive.add(value.value());
            size += value.length();
        }
        return consecutive;
    }

    /** Lets go of the oldest beyond what is kept, and puts the others into slabs, if they are delivered and durable. */
    void trim(long delivered, long durableSequence) {
        while (values.size() > settings.recentPositions() || bytes > settings.recentBytes()) {
            Map.Entry<Long, Recent> oldest = values.firstEntry();
            if (oldest.getKey() > delivered || oldest.getValue().sequence() > durableSequence) {
                return;
            }
            values.remove(oldest.getKey());
            bytes -= oldest.getValue().value().length();
            slabs.release(oldest.getValue().value());
        }
        keepInSlabs(delivered, durableSequence);
    }

    private void keepInSlabs(long delivered, long durableSequence) {
        Map.Entry<Long, Recent> next = values.higherEntry(lastInSlabs);
        while (next != null && next.getKey() <= delivered && next.getValue().sequence() <= durableSequence) {
            lastInSlabs = next.getKey();
            Recent plain = next.getValue();
            values.put(lastInSlabs, new Recent(slabs.keep(plain.value()), plain.sequence()));
            next = values.higherEntry(lastInSlabs);
        }
    }

    int size() {
        return values.size();
    }

    long bytes() {
        return bytes;
    }

    /**
     * Tells how many values are in memory besides those that must be: those that are not delivered, and those whose
     * record or that of an older value the disk lacks, which the host bounds.
     */
    void tellOccupancy(Occupancy occupancy, long delivered, long durableSequence) {
        boolean mayTrim = !values.isEmpty() && values.firstEntry().getValue().sequence() <= durableSequence;
        if (mayTrim) {
            long present = Math.max(0, delivered - values.firstKey() + 1);
            occupancy.holds("recent_positions", present, settings.recentPositions(), Slack.NONE);
        }
        if (mayTrim && values.firstKey() <= delivered) {
            occupancy.holds("recent_bytes", bytes, settings.recentBytes(), Slack.NONE);
        }
        occupancy.holds("bytes_of_slabs", slabs.madeBytes(), slabs.maxMadeBytes(), Slack.NONE);
    }
}
