package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.OrderingStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The states of one replica that have turned up and what it does in each with each input, found out by the real object.
 * Where no object is at hand in a state, one is made by feeding a new one the inputs that led there.
 */
final class ReplicaStates {
    /** Objects kept at hand, at most. */
    private static final int MAX_LIVE = 4_000;

    /**
     * What a replica does.
     *
     * @param next its state afterwards
     * @param effects what others can notice, in order
     * @param failure what it says of an invariant that it finds broken; null if there is none
     */
    record Reaction(LocalState next, List<LocalEffect> effects, String failure) {}

    /** A state of the replica. */
    static final class LocalState {
        private final int number;
        private final StateDigest.Value digest;
        private final LocalState before;
        private final LocalInput input;
        private final boolean running;
        private final OrderingStatus status;
        private final int unstableRecords;
        private final int openWrites;
        private final int delivered;
        private final boolean[] linksUp;
        private final int[] stableValues;
        private final ExploredCheckpoint checkpoint;
        private final long covered;
        private final boolean writesCheckpoint;
        private final ByteSlice latestPromise;
        private final int fetched;
        private final boolean knowsChange;
        private final int wantsStateOf;
        private final Map<LocalInput, Reaction> reactions = new HashMap<>();
        private ExploredReplica live;

        private LocalState(
                int number, StateDigest.Value digest, LocalState before, LocalInput input, ExploredReplica live) {
            this.number = number;
            this.digest = digest;
            this.before = before;
            this.input = input;
            this.running = live.isRunning();
            this.status = running ? live.status() : null;
            this.unstableRecords = live.unstableRecords();
            this.openWrites = live.openWrites();
            this.delivered = live.delivered();
            this.linksUp = live.linksUp();
            this.stableValues = live.stableValues();
            this.checkpoint = live.disk().checkpoint();
            this.covered = live.disk().coveredPosition();
            this.writesCheckpoint = live.writesCheckpoint();
            this.latestPromise = live.latestPromise();
            this.fetched = live.fetched();
            this.knowsChange = live.knowsChange();
            this.wantsStateOf = live.wantsStateOf();
        }

        int number() {
            return number;
        }

        boolean isRunning() {
            return running;
        }

        /** Its view of the order; null if it does not run. */
        OrderingStatus status() {
            return status;
        }

        int unstableRecords() {
            return unstableRecords;
        }

        /** Writes of its clients that it still has to answer. */
        int openWrites() {
            return openWrites;
        }

        /** Position up to which it has delivered. */
        int delivered() {
            return delivered;
        }

        boolean isLinkUp(int peer) {
            return linksUp[peer];
        }

        ExploredCheckpoint checkpoint() {
            return checkpoint;
        }

        /** Whether a checkpoint is being written. */
        boolean writesCheckpoint() {
            return writesCheckpoint;
        }

        /** Whether a start could fall back to an older checkpoint. */
        boolean keepsOlderCheckpoint() {
            return covered < checkpoint.position();
        }

        /** What others would install now. */
        OfferedState offeredState() {
            return new OfferedState(checkpoint, latestPromise);
        }

        /** Number of the state that it has fetched, 0 if none. */
        int fetched() {
            return fetched;
        }

        /** Whether it has learned of the change of the ensemble. */
        boolean knowsChange() {
            return knowsChange;
        }

        /** Whose state it has asked for, 0 if nobody's. */
        int wantsStateOf() {
            return wantsStateOf;
        }

        /** Whether its disk holds this value at a position. */
        boolean holdsStable(int position, int value) {
            return position <= covered || position <= stableValues.length && stableValues[position - 1] == value;
        }
    }

    private final int id;
    private final ReplicaMaker maker;
    private final Map<StateDigest.Value, LocalState> byDigest = new HashMap<>();
    private final List<LocalState> states = new ArrayList<>();
    private final Deque<LocalState> withLive = new ArrayDeque<>();
    private long inputsFed;

    ReplicaStates(int id, ReplicaMaker maker) {
        this.id = id;
        this.maker = maker;
        register(new ExploredReplica(id, maker), null, null);
    }

    /** The state of a replica that was never started. */
    LocalState initial() {
        return states.get(0);
    }

    LocalState get(int number) {
        return states.get(number);
    }

    int size() {
        return states.size();
    }

    /** How many inputs the real objects have taken, those for making objects anew included. */
    long inputsFed() {
        return inputsFed;
    }

    Reaction react(LocalState state, LocalInput input) {
        Reaction known = state.reactions.get(input);
        if (known == null) {
            known = findOut(state, input);
            state.reactions.put(input, known);
        }
        return known;
    }

    private Reaction findOut(LocalState state, LocalInput input) {
        ExploredReplica replica = take(state);
        inputsFed++;
        List<LocalEffect> effects;
        try {
            effects = replica.accept(input);
        } catch (RuntimeException e) {
            return new Reaction(state, List.of(), "replica " + id + ": " + e);
        }
        return new Reaction(register(replica, state, input), List.copyOf(effects), null);
    }

    private LocalState register(ExploredReplica replica, LocalState before, LocalInput input) {
        StateDigest.Value digest = StateDigest.of(replica);
        LocalState state = byDigest.get(digest);
        if (state == null) {
            state = new LocalState(states.size(), digest, before, input, replica);
            states.add(state);
            byDigest.put(digest, state);
        }
        if (state.live == null) {
            state.live = replica;
            withLive.addLast(state);
            if (withLive.size() > MAX_LIVE) {
                withLive.removeFirst().live = null;
            }
        }
        return state;
    }

    /** An object in this state; it is the caller's to change. */
    private ExploredReplica take(LocalState state) {
        if (state.live != null) {
            ExploredReplica replica = state.live;
            state.live = null;
            return replica;
        }
        Deque<LocalInput> path = new ArrayDeque<>();
        for (LocalState each = state; each.before != null; each = each.before) {
            path.addFirst(each.input);
        }
        ExploredReplica replica = new ExploredReplica(id, maker);
        path.forEach(replica::accept);
        inputsFed += path.size();
        if (!StateDigest.of(replica).equals(state.digest)) {
            throw new IllegalStateException("replica " + id + " is not deterministic: the same " + path.size()
                    + " inputs have led to another state than before");
        }
        return replica;
    }
}
