package io.chainkeeper.chain;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ValueSlabs;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;

/**
 * The accepted values that are in memory, of consecutive instances: of each the value accepted in the highest ballot.
 * Undecided values are always here; decided ones stay for a while to feed successors and answer candidates. Those that
 * only laggards still ask for are in slabs ({@link ValueSlabs}), so that the arrays they came in die young.
 */
final class AcceptedValues {
    /**
     * @param accepted ballot of the acceptance
     * @param value the batch
     * @param logSequence of the record in the acceptor log; 0 if the record was found there at start
     */
    record Accepted(Ballot accepted, ByteSlice value, long logSequence) {}

    private record Entry(Ballot accepted, ValueSlabs.Kept value, long logSequence) {}

    private final ArrayList<Entry> ring = new ArrayList<>();
    private final ValueSlabs slabs;
    private int head;
    private int size;
    private long first = 1;
    private long bytes;

    /** Values up to here are in slabs, besides those that have been put again since. */
    private long lastInSlabs;

    AcceptedValues(ChainSettings settings) {
        slabs = new ValueSlabs(settings.maxMemoryBytes());
        for (int i = 0; i < 64; i++) {
            ring.add(null);
        }
    }

    /** Forgets all values; the next one put is at {@code firstInstance}. */
    void clear(long firstInstance) {
        for (int i = 0; i < ring.size(); i++) {
            ring.set(i, null);
        }
        head = 0;
        size = 0;
        bytes = 0;
        first = firstInstance;
        slabs.clear();
        lastInSlabs = 0;
    }

    /** Lowest instance in memory; if there is none, the instance that would be put next. */
    long first() {
        return first;
    }

    /** Highest instance in memory; {@link #first()} - 1 if there is none. */
    long last() {
        return first + size - 1;
    }

    long bytes() {
        return bytes;
    }

    boolean contains(long instance) {
        return instance >= first && instance <= last();
    }

    /** What was accepted at an instance in memory; its value is a copy if only laggards still ask for it. */
    Accepted get(long instance) {
        Entry entry = entry(instance);
        return new Accepted(entry.accepted(), entry.value().value(), entry.logSequence());
    }

    private Entry entry(long instance) {
        InvariantViolated.check(contains(instance), "instance %d is not in memory (%d to %d)", instance, first, last());
        return ring.get(slot(instance));
    }

    void put(long instance, Accepted accepted) {
        InvariantViolated.check(
                instance >= first && instance <= last() + 1,
                "instance %d does not continue what is in memory (%d to %d)",
                instance,
                first,
                last());
        if (instance == last() + 1) {
            grow();
            size++;
        } else {
            bytes -= entry(instance).value().length();
        }
        ValueSlabs.Kept value = ValueSlabs.own(accepted.value());
        ring.set(slot(instance), new Entry(accepted.accepted(), value, accepted.logSequence()));
        bytes += accepted.value().length();
    }

    /** Entries from an instance on, for a candidate. */
    List<ChainMessage.Entry> entriesFrom(long from) {
        List<ChainMessage.Entry> entries = new ArrayList<>();
        for (long i = Math.max(from, first); i <= last(); i++) {
            Accepted accepted = get(i);
            entries.add(new ChainMessage.Entry(i, accepted.accepted(), accepted.value()));
        }
        return entries;
    }

    /**
     * Drops the oldest values that are decided, durable, and beyond what is to be kept; and puts those into slabs that
     * are decided, durable and older than a window.
     *
     * @param maxDecided values above it stay
     * @param durableSequence values whose record is later than this stay
     */
    void trim(long maxDecided, long durableSequence, ChainSettings settings) {
        while ((isBeyond(maxDecided, settings) || bytes > settings.maxLargeMemoryBytes() && first < maxDecided)
                && entry(first).logSequence() <= durableSequence) {
            ValueSlabs.Kept dropped = entry(first).value();
            bytes -= dropped.length();
            slabs.release(dropped);
            ring.set(head, null);
            head = (head + 1) % ring.size();
            first++;
            size--;
        }
        keepInSlabs(Math.min(maxDecided, last()) - settings.windowInstances(), durableSequence);
    }

    private void keepInSlabs(long to, long durableSequence) {
        for (long i = Math.max(first, lastInSlabs + 1); i <= to; i++) {
            Entry entry = entry(i);
            if (entry.logSequence() > durableSequence) {
                return;
            }
            ring.set(slot(i), new Entry(entry.accepted(), slabs.keep(entry.value()), entry.logSequence()));
            lastInSlabs = i;
        }
    }

    /**
     * Tells how many values are here besides those that must be: those that are undecided, and those whose record or
     * that of an older value the disk lacks, which the host bounds.
     */
    void tellOccupancy(Occupancy occupancy, long maxDecided, long durableSequence, ChainSettings settings) {
        boolean mayTrim = size > 0 && entry(first).logSequence() <= durableSequence;
        long decided = mayTrim ? Math.max(0, Math.min(maxDecided, last()) - first + 1) : 0;
        occupancy.holds("decided_values_in_memory", decided, settings.keptInstances(), Slack.NONE);
        long undecided = Math.max(0, last() - maxDecided);
        if (mayTrim && undecided == 0) {
            occupancy.holds("value_bytes_in_memory", bytes, settings.maxLargeMemoryBytes(), Slack.ONE_VALUE);
        }
        occupancy.holds("bytes_of_slabs", slabs.madeBytes(), slabs.maxMadeBytes(), Slack.NONE);
    }

    private boolean isBeyond(long maxDecided, ChainSettings settings) {
        return size > settings.minMemoryInstances()
                && first + settings.minMemoryInstances() <= maxDecided
                && (size > settings.maxInstancesInMemory() || bytes > settings.maxMemoryBytes());
    }

    private int slot(long instance) {
        return (int) ((head + (instance - first)) % ring.size());
    }

    private void grow() {
        if (size < ring.size()) {
            return;
        }
        List<Entry> all = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            all.add(ring.get((head + i) % ring.size()));
        }
        int capacity = 2 * ring.size();
        ring.clear();
        ring.addAll(all);
        while (ring.size() < capacity) {
            ring.add(null);
        }
        head = 0;
    }
}
