package io.chainkeeper.transport;

/** Which servers' execution profiles may differ, and how: the transport takes them for numbers. */
public interface ProfileRule {
    /** They must be equal. */
    ProfileRule EQUAL = new ProfileRule() {
        @Override
        public boolean mayBeLinked(long own, long other) {
            return own == other;
        }

        @Override
        public String difference(long own, long other, String where) {
            return "";
        }
    };

    /**
     * @param own a server's number
     * @param other another server's
     * @return whether they may be linked
     */
    boolean mayBeLinked(long own, long other);

    /**
     * Names what differs.
     *
     * @param own number of the server that says so
     * @param other another number
     * @param where who has the other one, as in "the cluster"
     * @return the settings that differ with both values, one phrase; empty if it cannot be told
     */
    String difference(long own, long other, String where);
}
