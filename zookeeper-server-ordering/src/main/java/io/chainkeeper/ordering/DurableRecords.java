package io.chainkeeper.ordering;

/** What an acceptor log holds on stable storage at a moment: what a start after a crash at that moment would find. */
public interface DurableRecords {
    /**
     * @param kind of a metadata record
     * @return the latest one on stable storage, null if there is none
     */
    LogRecord metadata(int kind);

    /**
     * @param position from 1
     * @return the latest record of the position on stable storage, null if there is none
     */
    LogRecord at(long position);

    /** @return up to here a checkpoint stands in for what the log may hold no longer; 0 if there is none */
    long coveredPosition();
}
