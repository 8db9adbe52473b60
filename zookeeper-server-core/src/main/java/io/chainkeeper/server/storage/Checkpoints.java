package io.chainkeeper.server.storage;

/** When checkpoints are taken. Called by the apply thread between two positions. */
public interface Checkpoints {
    /** What is due. */
    enum Due {
        /** Nothing, or one is being written. */
        NOTHING,
        /** A checkpoint of the transaction log alone: a start looks back no further than to it. */
        LOG,
        /** A snapshot with its checkpoint. */
        SNAPSHOT
    }

    /**
     * @param zxid last zxid taken
     * @return what is due
     */
    Due due(long zxid);

    /**
     * @param what {@link Due#LOG} or {@link Due#SNAPSHOT}
     * @param request what was captured; written in the background
     */
    void start(Due what, CheckpointRequest request);
}
