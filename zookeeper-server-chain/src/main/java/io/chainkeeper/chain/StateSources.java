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
