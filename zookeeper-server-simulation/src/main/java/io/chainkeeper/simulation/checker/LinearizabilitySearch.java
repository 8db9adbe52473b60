package io.chainkeeper.simulation.checker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The search for one key. A configuration is the set of operations that have taken effect and the state they led to;
 * the search goes depth first from configuration to configuration and never enters one twice.
 *
 * <p>Three cuts keep it small, none of which can hide a solution. An operation that may come next and leaves the state
 * as it is comes next, without alternative. Of unfinished operations that nobody could tell apart only one is tried. An
 * unfinished operation that would change nothing is left out.
 */
final class LinearizabilitySearch<S> {
    private final SequentialModel<S> model;
    private final String key;
    private final int maxConfigurations;
    private final List<Operation> finished = new ArrayList<>();
    private final List<Operation> unfinished = new ArrayList<>();
    private final Object[] groups;
    private final Set<Visited> visited = new HashSet<>();

    LinearizabilitySearch(SequentialModel<S> model, String key, List<Operation> operations, int maxConfigurations) {
        this.model = model.knowing(operations);
        this.key = key;
        this.maxConfigurations = maxConfigurations;
        for (Operation operation : operations) {
            (operation.isFinished() ? finished : unfinished).add(operation);
        }
        Comparator<Operation> byInvocation = Comparator.comparingLong(Operation::invokedAt);
        finished.sort(byInvocation.thenComparingLong(Operation::returnedAt));
        Comparator<Operation> conditionalFirst =
                Comparator.comparing(operation -> operation.kind() != Operation.Kind.COMPARE_AND_SET);
        unfinished.sort(conditionalFirst.thenComparing(byInvocation));
        groups = new Object[unfinished.size()];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = this.model.indistinguishableGroup(unfinished.get(i));
        }
    }

    /** Which operations have taken effect, as words of bits without the full ones at the front, and the state. */
    private record Visited(int fullWords, long[] finishedWords, long[] unfinishedWords, Object state) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Visited that
                    && fullWords == that.fullWords
                    && Arrays.equals(finishedWords, that.finishedWords)
                    && Arrays.equals(unfinishedWords, that.unfinishedWords)
                    && state.equals(that.state);
        }

        @Override
        public int hashCode() {
            return ((fullWords * 31 + Arrays.hashCode(finishedWords)) * 31 + Arrays.hashCode(unfinishedWords)) * 31
                    + state.hashCode();
        }
    }

    private final class Configuration {
        private final BitSet doneFinished;
        private final BitSet doneUnfinished;
        private S state;
        private final Deque<Configuration> next = new ArrayDeque<>();

        Configuration(BitSet doneFinished, BitSet doneUnfinished, S state) {
            this.doneFinished = doneFinished;
            this.doneUnfinished = doneUnfinished;
            this.state = state;
        }

        private boolean complete() {
            return doneFinished.nextClearBit(0) >= finished.size();
        }

        /** No operation invoked after this can come next: some other one had returned before. */
        private long horizon() {
            long earliestReturn = Long.MAX_VALUE;
            for (int i = doneFinished.nextClearBit(0);
                    i < finished.size() && finished.get(i).invokedAt() <= earliestReturn;
                    i = doneFinished.nextClearBit(i + 1)) {
                earliestReturn = Math.min(earliestReturn, finished.get(i).returnedAt());
            }
            return earliestReturn;
        }

        /** Lets all operations take effect that may come next and leave the state as it is. */
        private void settle() {
            boolean changed = true;
            while (changed && !complete()) {
                changed = false;
                long horizon = horizon();
                for (int i = doneFinished.nextClearBit(0);
                        i < finished.size() && finished.get(i).invokedAt() <= horizon;
                        i = doneFinished.nextClearBit(i + 1)) {
                    if (state.equals(model.apply(state, finished.get(i)))) {
                        doneFinished.set(i);
                        changed = true;
                    }
                }
            }
        }

        private void expand() {
            long horizon = horizon();
            for (int i = doneFinished.nextClearBit(0);
                    i < finished.size() && finished.get(i).invokedAt() <= horizon;
                    i = doneFinished.nextClearBit(i + 1)) {
                S after = model.apply(state, finished.get(i));
                if (after != null) {
                    BitSet done = (BitSet) doneFinished.clone();
                    done.set(i);
                    next.addLast(new Configuration(done, doneUnfinished, after));
                }
            }
            Set<Object> triedGroups = new HashSet<>();
            for (int i = doneUnfinished.nextClearBit(0);
                    i < unfinished.size();
                    i = doneUnfinished.nextClearBit(i + 1)) {
                boolean invoked = unfinished.get(i).invokedAt() <= horizon;
                S after = invoked ? model.apply(state, unfinished.get(i)) : null;
                boolean matters = after != null && !after.equals(state);
                if (matters && (groups[i] == null || triedGroups.add(groups[i]))) {
                    BitSet done = (BitSet) doneUnfinished.clone();
                    done.set(i);
                    next.addLast(new Configuration((BitSet) doneFinished.clone(), done, after));
                }
            }
        }

        private Visited mark() {
            int fullWords = doneFinished.nextClearBit(0) / Long.SIZE;
            long[] words = doneFinished.toLongArray();
            long[] tail = fullWords >= words.length ? new long[0] : Arrays.copyOfRange(words, fullWords, words.length);
            return new Visited(fullWords, tail, doneUnfinished.toLongArray(), state);
        }
    }

    /**
     * @return whether the operations are linearizable
     * @throws HistoryViolation if that could not be decided within the bound
     */
    boolean succeeds() {
        Deque<Configuration> path = new ArrayDeque<>();
        path.push(new Configuration(new BitSet(), new BitSet(), model.initial(key)));
        enter(path.peek());
        while (!path.isEmpty()) {
            Configuration current = path.peek();
            if (current.complete()) {
                return true;
            }
            Configuration next = current.next.pollFirst();
            if (next == null) {
                path.pop();
            } else if (enter(next)) {
                path.push(next);
            }
        }
        return false;
    }

    private boolean enter(Configuration configuration) {
        configuration.settle();
        if (!visited.add(configuration.mark())) {
            return false;
        }
        if (visited.size() > maxConfigurations) {
            throw new HistoryViolation("key " + key + ": linearizability of " + finished.size() + " finished and "
                    + unfinished.size() + " unfinished operations is undecided after " + maxConfigurations
                    + " configurations; record fewer concurrent operations per key or raise the bound");
        }
        if (!configuration.complete()) {
            configuration.expand();
        }
        return true;
    }
}
