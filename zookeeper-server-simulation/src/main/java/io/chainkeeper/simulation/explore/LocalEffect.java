package io.chainkeeper.simulation.explore;

/**
 * What a replica did that others can notice.
 *
 * @param kind what
 * @param number receiver of a frame; shared disk; position delivered or answered; token of a read
 * @param item number of the frame, of the request to the disk, or of the value; 0 if there is none
 * @param applied how many commands this replica had applied by then
 */
record LocalEffect(Kind kind, int number, int item, int applied) {
    /** The sorts of effect. */
    enum Kind {
        /** A frame left for another replica. */
        SENT,
        /** Something was asked of a shared disk. */
        ASKED,
        /** A position was delivered and executed. */
        DELIVERED,
        /** A client got the answer to its write, which has the position. */
        WRITE_ANSWERED,
        /** A client asked for a linearizable read. */
        READ_ASKED,
        /** A client got the answer to its read. */
        READ_ANSWERED
    }
}
