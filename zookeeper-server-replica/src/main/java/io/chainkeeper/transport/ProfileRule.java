package io.chainkeeper.transport;

/** Which execution profiles of two servers go together. To the transport a profile is a number. */
public interface ProfileRule {
    /** Profiles must be equal. */
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
     * @param own profile of a server
     * @param other profile of another server
     * @return whether the two servers may be linked
     */
    boolean mayBeLinked(long own, long other);

    /**
     * Names what differs.
     *
     * @param own profile of the server that reports the difference
     * @param other another profile
     * @param where who has the other profile, as in "the cluster"
     * @return the settings that differ with both values, one phrase; empty if it cannot be told
     */
    String difference(long own, long other, String where);
}
