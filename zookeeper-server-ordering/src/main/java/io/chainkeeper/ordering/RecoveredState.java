package io.chainkeeper.ordering;

import java.util.function.Consumer;

/** What a replica finds on its own disk when it starts. Read only during {@link OrderingProtocol#onStart}. */
public interface RecoveredState {
    /**
     * The position up to which the application has durable state of its own (its checkpoint). Delivery starts at the
     * next one.
     *
     * @return 0 if there is none
     */
    long appliedPosition();

    /**
     * {@link PrefixHash} of all values up to {@link #appliedPosition}, as the checkpoint has it.
     *
     * @return {@link PrefixHash#UNKNOWN} if the checkpoint has none
     */
    default long appliedPrefixHash() {
        return appliedPosition() == 0 ? PrefixHash.EMPTY : PrefixHash.UNKNOWN;
    }

    /**
     * The membership in force after {@link #appliedPosition}, as the checkpoint has it.
     *
     * @return null if the checkpoint precedes the first ordered membership: the initial one is in force
     */
    default Membership membership() {
        return null;
    }

    /**
     * @param membership the membership in force after {@link #appliedPosition}
     * @param prefixHash see {@link #appliedPrefixHash}
     * @return this state with what the checkpoint knows
     */
    default RecoveredState with(Membership membership, long prefixHash) {
        return new RecoveredWithCheckpoint(this, membership, prefixHash);
    }

    /**
     * The latest metadata record of a kind.
     *
     * @param kind the kind
     * @return the record, or null if none was ever written
     */
    LogRecord metadata(int kind);

    /** @return lowest position that the log still holds, 0 if it holds none */
    long firstPosition();

    /** @return highest position that the log holds, 0 if it holds none */
    long lastPosition();

    /**
     * Visits the latest record of each position that the log holds, in ascending order of position. May be called
     * repeatedly.
     *
     * @param fromPosition first position of interest
     * @param visitor called for each
     */
    void forEachPosition(long fromPosition, Consumer<LogRecord> visitor);

    /**
     * Visits the latest record of each position like {@link #forEachPosition}, when only kind and head are wanted:
     * bodies may be most of a log.
     *
     * @param fromPosition first position of interest
     * @param visitor called for each; bodies may be empty
     */
    default void forEachHead(long fromPosition, Consumer<LogRecord> visitor) {
        forEachPosition(fromPosition, visitor);
    }
}
