package io.chainkeeper.simulation.explore;

import java.util.Arrays;

/**
 * Of a state: what is on each of the shared disks, and what each replica has asked of each and was not answered yet.
 * Disks are numbered from 1.
 */
final class SharedState {
    /** Asked by a start, or in a life of the disk, that is gone: nobody will be answered. */
    static final int ORPHAN = 1;

    /** The disk holds a part of it. */
    static final int TORN = 2;

    /** From here on: it has been carried out, and what was read. */
    private static final int CARRIED_OUT = 4;

    private static final int[] NOTHING = {};
    private static final int FIELDS = 2;

    final int disks;

    /** By disk, from 0. */
    final int[] contents;

    private final int[][] queues;

    SharedState(int replicas, int disks) {
        this.disks = disks;
        this.contents = new int[disks];
        this.queues = new int[replicas * disks][];
        Arrays.fill(queues, NOTHING);
    }

    private int index(int replica, int disk) {
        return (replica - 1) * disks + disk - 1;
    }

    /** How many requests of a replica a disk has. */
    int length(int replica, int disk) {
        return queues[index(replica, disk)].length / FIELDS;
    }

    int request(int replica, int disk, int at) {
        return queues[index(replica, disk)][FIELDS * at];
    }

    private int status(int replica, int disk, int at) {
        return queues[index(replica, disk)][FIELDS * at + 1];
    }

    boolean isOrphan(int replica, int disk, int at) {
        return (status(replica, disk, at) & ORPHAN) != 0;
    }

    boolean isTorn(int replica, int disk, int at) {
        return (status(replica, disk, at) & TORN) != 0;
    }

    boolean isCarriedOut(int replica, int disk, int at) {
        return status(replica, disk, at) >= CARRIED_OUT;
    }

    /** What was read, of a request that was carried out. */
    int result(int replica, int disk, int at) {
        return status(replica, disk, at) / CARRIED_OUT - 2;
    }

    /** The first request that has not been carried out; the length if there is none. */
    int next(int replica, int disk) {
        int at = 0;
        while (at < length(replica, disk) && isCarriedOut(replica, disk, at)) {
            at++;
        }
        return at;
    }

    void append(int replica, int disk, int request) {
        int[] queue = queues[index(replica, disk)];
        int[] longer = Arrays.copyOf(queue, queue.length + FIELDS);
        longer[queue.length] = request;
        queues[index(replica, disk)] = longer;
    }

    void remove(int replica, int disk, int at) {
        int[] queue = queues[index(replica, disk)];
        int[] rest = new int[queue.length - FIELDS];
        System.arraycopy(queue, 0, rest, 0, FIELDS * at);
        System.arraycopy(queue, FIELDS * (at + 1), rest, FIELDS * at, rest.length - FIELDS * at);
        queues[index(replica, disk)] = rest;
    }

    void setCarriedOut(int replica, int disk, int at, int result) {
        setStatus(replica, disk, at, (result + 2) * CARRIED_OUT);
    }

    void mark(int replica, int disk, int at, int with) {
        setStatus(replica, disk, at, status(replica, disk, at) | with);
    }

    private void setStatus(int replica, int disk, int at, int status) {
        int[] queue = queues[index(replica, disk)].clone();
        queue[FIELDS * at + 1] = status;
        queues[index(replica, disk)] = queue;
    }

    // ---------------------------------------------------------------- as numbers

    int size() {
        int size = disks + queues.length;
        for (int[] queue : queues) {
            size += queue.length;
        }
        return size;
    }

    void put(int[] row, int begin) {
        int at = begin;
        for (int content : contents) {
            row[at++] = content;
        }
        for (int[] queue : queues) {
            row[at] = queue.length;
            System.arraycopy(queue, 0, row, at + 1, queue.length);
            at += 1 + queue.length;
        }
    }

    void take(int[] row, int begin) {
        int at = begin;
        for (int disk = 0; disk < disks; disk++) {
            contents[disk] = row[at++];
        }
        for (int i = 0; i < queues.length; i++) {
            queues[i] = row[at] == 0 ? NOTHING : Arrays.copyOfRange(row, at + 1, at + 1 + row[at]);
            at += 1 + row[at];
        }
    }
}
