package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.disk.layout.ServerHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the rings of all other servers on one disk. A server that frees a part of its ring writes its new tail before
 * it writes over that part; so a ring is read once more if its tail has moved when the headers are read again, and what
 * was read between two headers of the same tail was all there.
 */
final class DiskScan {
    private final Disk disk;
    private final DiskState state;
    private final Consumer<RingEntry> found;
    private final Runnable done;
    private final long[] readFrom;
    private final List<Integer> left = new ArrayList<>();
    private Headers headers;

    /**
     * @param disk to read
     * @param state of this server
     * @param found given the entries of others
     * @param done called when everything has been read
     */
    DiskScan(Disk disk, DiskState state, Consumer<RingEntry> found, Runnable done) {
        this.disk = disk;
        this.state = state;
        this.found = found;
        this.done = () -> {
            disk.scanned(false);
            done.run();
        };
        this.readFrom = new long[state.layout.slots()];
        for (int slot = 0; slot < readFrom.length; slot++) {
            readFrom[slot] = -1;
        }
    }

    void start() {
        disk.scanned(true);
        disk.readHeaders(this::onHeaders);
    }

    private void onHeaders(Headers read) {
        headers = read;
        for (ServerHeader header : read.bySlot()) {
            boolean isKnown = readFrom[header.slot()] >= 0
                    && (readFrom[header.slot()] == header.tail()
                            || !state.rules.isOn(SafetyRule.RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED));
            if (header.slot() != state.slot && !header.isBlank() && !isKnown) {
                left.add(header.slot());
            }
        }
        if (left.isEmpty()) {
            done.run();
        } else {
            readNext();
        }
    }

    private void readNext() {
        if (left.isEmpty()) {
            disk.readHeaders(this::onHeaders);
            return;
        }
        int slot = left.remove(0);
        long tail = headers.bySlot().get(slot).tail();
        readFrom[slot] = tail;
        new RingReader(disk, state.clusterId(), slot, tail, this::take, this::readNext).start();
    }

    private void take(RingEntry entry) {
        if (!entry.isSkip()) {
            found.accept(entry);
        }
    }
}
