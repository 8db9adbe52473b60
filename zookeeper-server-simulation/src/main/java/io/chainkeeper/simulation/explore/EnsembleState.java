package io.chainkeeper.simulation.explore;

import java.util.Arrays;

/**
 * The state of everything, as numbers: of each replica's state, of the order delivered so far, of frames on their way;
 * what was promised to clients; and how much of the scope is used up. Changed in place; {@link #encode} and
 * {@link #decode} turn it into a row of numbers and back.
 */
final class EnsembleState {
    /** On a link, in the place of a frame: its receiver is to be told that the link is down. */
    static final int DOWN = -1;

    /** On a link, in the place of a frame: its receiver is to be told that the link is up. */
    static final int UP = -2;

    private static final int[] NOTHING = {};
    private static final int READ_FIELDS = 3;

    final int replicas;
    final SharedState shared;

    /** By replica id: number of the state; how often clients wrote and read, time passed, checkpoints were written. */
    final int[] locals;

    final int[] writes;
    final int[] reads;
    final int[] ticks;
    final int[] checkpoints;

    int order;
    int crashes;
    int restarts;
    int breaks;
    int diskFailures;

    /** The most commands that any answer rested on. */
    int answered;

    /** Reads without an answer: replica, token, and what had been answered before they were asked. */
    int[] openReads = NOTHING;

    private final int[][] links;

    EnsembleState(int replicas, int disks) {
        this.replicas = replicas;
        this.shared = new SharedState(replicas, disks);
        this.locals = new int[replicas + 1];
        this.writes = new int[replicas + 1];
        this.reads = new int[replicas + 1];
        this.ticks = new int[replicas + 1];
        this.checkpoints = new int[replicas + 1];
        this.links = new int[replicas * replicas][];
        Arrays.fill(links, NOTHING);
    }

    private int linkIndex(int from, int to) {
        return (from - 1) * replicas + to - 1;
    }

    /** What is on its way, oldest first; not to be changed. */
    int[] link(int from, int to) {
        return links[linkIndex(from, to)];
    }

    void setLink(int from, int to, int... items) {
        links[linkIndex(from, to)] = items;
    }

    void append(int from, int to, int item) {
        int[] items = link(from, to);
        int[] longer = Arrays.copyOf(items, items.length + 1);
        longer[items.length] = item;
        setLink(from, to, longer);
    }

    int removeFirst(int from, int to) {
        int[] items = link(from, to);
        setLink(from, to, Arrays.copyOfRange(items, 1, items.length));
        return items[0];
    }

    /** Whether the receiver is still to be told of a change of this link. */
    boolean hasNews(int from, int to) {
        for (int item : link(from, to)) {
            if (item < 0) {
                return true;
            }
        }
        return false;
    }

    void addOpenRead(int replica, int token) {
        int at = openReads.length;
        openReads = Arrays.copyOf(openReads, at + READ_FIELDS);
        openReads[at] = replica;
        openReads[at + 1] = token;
        openReads[at + 2] = answered;
    }

    /** Removes a read and returns how many commands it must see; -1 if it is not open. */
    int removeOpenRead(int replica, int token) {
        for (int at = 0; at < openReads.length; at += READ_FIELDS) {
            if (openReads[at] == replica && openReads[at + 1] == token) {
                int floor = openReads[at + 2];
                removeOpenReadAt(at);
                return floor;
            }
        }
        return -1;
    }

    boolean hasOpenRead(int replica) {
        for (int at = 0; at < openReads.length; at += READ_FIELDS) {
            if (openReads[at] == replica) {
                return true;
            }
        }
        return false;
    }

    void removeOpenReadsOf(int replica) {
        for (int at = openReads.length - READ_FIELDS; at >= 0; at -= READ_FIELDS) {
            if (openReads[at] == replica) {
                removeOpenReadAt(at);
            }
        }
    }

    private void removeOpenReadAt(int at) {
        int[] rest = new int[openReads.length - READ_FIELDS];
        System.arraycopy(openReads, 0, rest, 0, at);
        System.arraycopy(openReads, at + READ_FIELDS, rest, at, rest.length - at);
        openReads = rest;
    }

    int[] encode() {
        int size = 2 * replicas + 4 + openReads.length + links.length + shared.size();
        for (int[] items : links) {
            size += items.length;
        }
        int[] row = new int[size];
        int at = 0;
        for (int id = 1; id <= replicas; id++) {
            row[at++] = locals[id];
            row[at++] = writes[id] | reads[id] << 8 | ticks[id] << 16 | checkpoints[id] << 24;
        }
        row[at++] = order;
        row[at++] = crashes | breaks << 8 | restarts << 16 | diskFailures << 24;
        row[at++] = answered;
        at = put(row, at, openReads);
        for (int[] items : links) {
            at = put(row, at, items);
        }
        shared.put(row, at);
        return row;
    }

    private static int put(int[] row, int at, int[] items) {
        row[at] = items.length;
        System.arraycopy(items, 0, row, at + 1, items.length);
        return at + 1 + items.length;
    }

    static EnsembleState decode(int replicas, int disks, int[] row) {
        EnsembleState state = new EnsembleState(replicas, disks);
        int at = 0;
        for (int id = 1; id <= replicas; id++) {
            state.locals[id] = row[at++];
            int used = row[at++];
            state.writes[id] = used & 0xff;
            state.reads[id] = used >> 8 & 0xff;
            state.ticks[id] = used >> 16 & 0xff;
            state.checkpoints[id] = used >> 24 & 0xff;
        }
        state.order = row[at++];
        state.crashes = row[at] & 0xff;
        state.breaks = row[at] >> 8 & 0xff;
        state.restarts = row[at] >> 16 & 0xff;
        state.diskFailures = row[at++] >> 24 & 0xff;
        state.answered = row[at++];
        state.openReads = Arrays.copyOfRange(row, at + 1, at + 1 + row[at]);
        at += 1 + row[at];
        for (int i = 0; i < state.links.length; i++) {
            state.links[i] = row[at] == 0 ? NOTHING : Arrays.copyOfRange(row, at + 1, at + 1 + row[at]);
            at += 1 + row[at];
        }
        state.shared.take(row, at);
        return state;
    }
}
