package io.chainkeeper.simulation.explore;

/**
 * What can happen to one replica.
 *
 * @param kind what
 * @param peer the other end of the link; the shared disk; what is in a batch besides frames; 0 if there is none
 * @param number of the frame, of the batch, of the answer of the disk, of the state to be fetched or installed, of
 *     ticks, or of records that survive; 0 if there is none
 */
record LocalInput(Kind kind, int peer, int number) {
    static final LocalInput START = new LocalInput(Kind.START, 0, 0);
    static final LocalInput CRASH = new LocalInput(Kind.CRASH, 0, 0);
    static final LocalInput SYNC = new LocalInput(Kind.SYNC, 0, 0);
    static final LocalInput SYNC_ONE = new LocalInput(Kind.SYNC_ONE, 0, 0);
    static final LocalInput PROPOSE = new LocalInput(Kind.PROPOSE, 0, 0);
    static final LocalInput CHECKPOINT = new LocalInput(Kind.CHECKPOINT, 0, 0);
    static final LocalInput KEEP = new LocalInput(Kind.KEEP, 0, 0);
    static final LocalInput LOSE_CHECKPOINT = new LocalInput(Kind.LOSE_CHECKPOINT, 0, 0);
    static final LocalInput ENSEMBLE = new LocalInput(Kind.ENSEMBLE, 0, 0);
    static final LocalInput READ = new LocalInput(Kind.READ, 0, 0);

    /** The sorts of {@link Choice}, seen from one replica. */
    enum Kind {
        START,
        CRASH,
        SYNC,
        SYNC_ONE,
        PROPOSE,
        READ,
        TICK,
        CHECKPOINT,
        KEEP,
        LOSE_CHECKPOINT,
        ENSEMBLE,
        FETCH,
        INSTALL,
        BATCH,
        BLOCKS,
        DISK_FAILED,
        FRAME,
        PEER_UP,
        PEER_DOWN
    }
}
