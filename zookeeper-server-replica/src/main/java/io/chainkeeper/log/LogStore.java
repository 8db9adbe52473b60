package io.chainkeeper.log;

/** Which implementation holds the acceptor log. */
public enum LogStore {
    /** Segmented append-only files; the default. */
    SEGMENTED,
    /** LMDB. */
    LMDB
}
