package io.chainkeeper.ordering;

/**
 * What a protocol can ask of the world: a closed list. Calls only record the wish; the host carries them out in order
 * after the protocol's method has returned (so nothing here calls back into the protocol), and none of them if the
 * method throws. Only those of {@link OrderingProtocol#onStart}, which nothing bounds, are carried out in steps while
 * it runs.
 */
public interface Effects {
    /**
     * Sends a message that promises nothing. Best effort: it is dropped if the link is down.
     *
     * @param to replica id of another member
     * @param message the message
     * @throws InvariantViolated if {@link Message#isPromise()}
     */
    void send(int to, Message message);

    /**
     * Sends a message as soon as a record is on stable storage; at once if it already is.
     *
     * @param logSequence sequence that {@link #append} returned, in this start, for the record that the message rests
     *     on; 0 if the message is no promise and rests on nothing
     * @param to replica id of another member
     * @param message the message
     * @throws InvariantViolated if it is a promise and rests on no record of this start ({@link PromiseRule})
     */
    void sendAfter(long logSequence, int to, Message message);

    /**
     * Appends a record to the acceptor log. Visible to {@link OrderingProtocol#onDurable} when it is stable.
     *
     * @param record the record
     * @return its log sequence: 1, 2, 3, ... since this start
     */
    long append(LogRecord record);

    /**
     * Hands the decided value of the next position to the application.
     *
     * @param position the previous delivered position + 1
     * @param value the batch or the membership, as {@link BatchCodec} encodes it
     * @param prefixHash {@link PrefixHash} of all values up to this one; the application keeps it with its state
     */
    void deliver(long position, ByteSlice value, long prefixHash);

    /**
     * Says that everything any client can have seen when the barrier was asked for has been handed to {@link
     * #deliver}.
     *
     * @param token of {@link OrderingProtocol#onReadBarrier}
     */
    void barrierReached(long token);

    /**
     * Says that old positions are no longer needed by anybody.
     *
     * @param belowPosition positions below it are never needed again and may be dropped from the log
     */
    void truncate(long belowPosition);

    /**
     * Asks for values that are no longer in memory; the answer is {@link OrderingProtocol#onLogRead}.
     *
     * @param fromPosition first position wanted
     * @param maxBytes roughly how many bytes of bodies to return at most; at least one record is returned
     */
    void readLog(long fromPosition, int maxBytes);

    /**
     * Says that this replica needs state older than any member's log still holds (state transfer). The host fetches it
     * in the background and then starts this replica anew; until then the protocol goes on without it, and may say so
     * again.
     *
     * @param fromPeer a member that has the state
     * @param position the position that this replica would need next behind that state, which reaches to the one before
     *     it at least; a state that reaches no further than this replica itself is of no use
     */
    void needState(int fromPeer, long position);

    /**
     * Says that the role of this replica or its view of the leader has changed.
     *
     * @param status the new view
     */
    void statusChanged(OrderingStatus status);

    /**
     * Says that a message of another member was not taken notice of, because no member can have meant it. The host ends
     * the link and says why. A host that links only known replicas takes it for a defect.
     *
     * @param from replica id, as the link knows it
     * @param reason what the member sent, to follow its name; one line
     * @throws InvariantViolated unless the host overrides it
     */
    default void refuse(int from, String reason) {
        throw new InvariantViolated("replica " + from + " " + reason);
    }

    /**
     * Said by the leader only: a configured replica has shown no sign of life for the silence limit, or shows one
     * again.
     *
     * @param member replica id
     * @param silent true if it went silent
     */
    void memberSilent(int member, boolean silent);

    /**
     * Says that another replica holds another order than this one. Neither works with the other any more; if this
     * replica stands against a majority, it stops by {@link InvariantViolated}. A host that expects no replica to be
     * wrong takes it for a defect.
     *
     * @param peer replica id
     * @param difference at which position, and both hashes, for people
     * @throws InvariantViolated unless the host overrides it
     */
    default void orderContradicted(int peer, String difference) {
        throw new InvariantViolated("agreement: replica " + peer + " holds another order: " + difference);
    }

    /**
     * Writes to a shared disk; the answer is {@link OrderingProtocol#onBlocksWritten}, or {@link
     * OrderingProtocol#onDiskFailed}. Duties of host and protocol: {@link SharedDisks}.
     *
     * @param disk number of the disk, from 0
     * @param offset first byte on the disk, a multiple of {@link SharedDisks#BLOCK_BYTES}
     * @param bytes what to write, a multiple of {@link SharedDisks#BLOCK_BYTES} long and not empty
     * @throws InvariantViolated unless the host has shared disks
     */
    default void writeBlocks(int disk, long offset, ByteSlice bytes) {
        throw new InvariantViolated("this host has no shared disk " + disk + " to write to");
    }

    /**
     * Reads from a shared disk; the answer is {@link OrderingProtocol#onBlocksRead}, or {@link
     * OrderingProtocol#onDiskFailed}. Duties of host and protocol: {@link SharedDisks}.
     *
     * @param disk number of the disk, from 0
     * @param offset first byte on the disk, a multiple of {@link SharedDisks#BLOCK_BYTES}
     * @param length number of bytes, a positive multiple of {@link SharedDisks#BLOCK_BYTES}
     * @throws InvariantViolated unless the host has shared disks
     */
    default void readBlocks(int disk, long offset, int length) {
        throw new InvariantViolated("this host has no shared disk " + disk + " to read from");
    }

    /**
     * The application should write a checkpoint soon, because what the order has to keep until then fills up. Asked for
     * again if none comes; {@link OrderingProtocol#onCheckpoint} tells of it. Protocols whose room is not bounded never
     * ask.
     */
    default void wantCheckpoint() {
        // Hosts of other protocols need not know it.
    }
}
