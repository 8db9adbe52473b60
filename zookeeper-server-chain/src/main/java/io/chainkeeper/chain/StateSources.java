package io.chainkeeper.chain;

/**
 * Whose state is asked for where no log reaches back far enough. All members take turns, the leader first: one may be
 * asked in vain for as long as its disk gives no answer.
 */
final class StateSources {
    private static final int NOBODY = 0;

    private final ReplicaState state;
    private int last = NOBODY;

    StateSources(ReplicaState state) {
        this.state = state;
    }

    /**
     * Asks for a state that holds the next instance. One that ends where this replica is would not bring it further,
     * and there may be such a one: it may have started from it.
     *
     * @param instance the last one that this replica has
     */
    void askBehind(long instance) {
        ask(behind(instance));
    }

    /** What the order has to bring next behind a state that holds the instance after this one. */
    static long behind(long instance) {
        return instance + 2;
    }

    /**
     * Asks for a state.
     *
     * @param position the first that the order can bring again behind it
     */
    void ask(long position) {
        int[] chain = state.chain();
        int lastPlace = state.chainPosition(last);
        for (int i = 1; i <= chain.length; i++) {
            int id = chain[Math.floorMod(lastPlace + i, chain.length)];
            if (id != state.self && state.linkUp[id] && (state.isMember(id) || id == state.leader)) {
                last = id;
                state.effects.needState(id, position);
                return;
            }
        }
    }
}
