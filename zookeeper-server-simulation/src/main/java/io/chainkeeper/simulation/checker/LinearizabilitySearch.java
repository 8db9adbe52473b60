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
 *
 * <p>Operations whose place in the order is known come in that order. So however many replies were lost, all that is
 * open about such an operation is whether it had an effect, and the search stays short.
 */
final class LinearizabilitySearch<S> {
    private final SequentialModel<S> model;
    private final String key;
    private final int maxConfigurations;
    private final List<Operation> finished = new ArrayList<>();
    private final List<Operation> unfinished = new ArrayList<>();
    private final Object[] groups;

    /** Those with a place, in its order. */
    private final List<Placed> placed = new ArrayList<>();

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
        addPlaced(finished, true);
        addPlaced(unfinished, false);
        placed.sort(Comparator.comparingLong(each -> each.operation().place()));
    }

    private record Placed(Operation operation, boolean isFinished, int index) {}

    private void addPlaced(List<Operation> operations, boolean areFinished) {
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).place() != Operation.NO_PLACE) {
                placed.add(new Placed(operations.get(i), areFinished, i));
            }
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
        private final S state;
        private final Deque<Configuration> next = new ArrayDeque<>();

        /** How many of those with a place are done. */
        private int donePlaced;

        Configuration(BitSet doneFinished, BitSet doneUnfinished, int donePlaced, S state) {
            this.doneFinished = doneFinished;
            this.doneUnfinished = doneUnfinished;
            this.donePlaced = donePlaced;
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
                    if (finished.get(i).place() == Operation.NO_PLACE
                            && state.equals(model.apply(state, finished.get(i)))) {
                        doneFinished.set(i);
                        changed = true;
                    }
                }
                changed |= settlePlaced(horizon);
            }
        }

        private boolean settlePlaced(long horizon) {
            Placed due = duePlaced(horizon);
            if (due == null || !state.equals(model.apply(state, due.operation()))) {
                return false;
            }
            (due.isFinished() ? doneFinished : doneUnfinished).set(due.index());
            donePlaced++;
            return true;
        }

        /** The first that is not done of those with a place, if it may come next; else null. */
        private Placed duePlaced(long horizon) {
            Placed due = donePlaced < placed.size() ? placed.get(donePlaced) : null;
            return due == null || due.operation().invokedAt() > horizon ? null : due;
        }

        private void expand() {
            long horizon = horizon();
            Placed due = duePlaced(horizon);
            if (due != null) {
                expand(due);
            }
            for (int i = doneFinished.nextClearBit(0);
                    i < finished.size() && finished.get(i).invokedAt() <= horizon;
                    i = doneFinished.nextClearBit(i + 1)) {
                boolean isPlaced = finished.get(i).place() != Operation.NO_PLACE;
                S after = isPlaced ? null : model.apply(state, finished.get(i));
                if (after != null) {
                    addNext(true, i, donePlaced, after);
                }
            }
            Set<Object> triedGroups = new HashSet<>();
            for (int i = doneUnfinished.nextClearBit(0);
                    i < unfinished.size();
                    i = doneUnfinished.nextClearBit(i + 1)) {
                boolean mayBeNext = unfinished.get(i).invokedAt() <= horizon
                        && unfinished.get(i).place() == Operation.NO_PLACE;
                S after = mayBeNext ? model.apply(state, unfinished.get(i)) : null;
                boolean matters = after != null && !after.equals(state);
                if (matters && (groups[i] == null || triedGroups.add(groups[i]))) {
                    addNext(false, i, donePlaced, after);
                }
            }
        }

        /** An unfinished one has an effect, or has none. */
        private void expand(Placed due) {
            S after = model.apply(state, due.operation());
            if (after != null) {
                addNext(due.isFinished(), due.index(), donePlaced + 1, after);
            }
            if (!due.isFinished()) {
                addNext(false, due.index(), donePlaced + 1, state);
            }
        }

        /** The configuration after an operation; it shares nothing that changes with this one. */
        private void addNext(boolean isFinished, int index, int nextPlaced, S after) {
            BitSet nextFinished = (BitSet) doneFinished.clone();
            BitSet nextUnfinished = (BitSet) doneUnfinished.clone();
            (isFinished ? nextFinished : nextUnfinished).set(index);
            next.addLast(new Configuration(nextFinished, nextUnfinished, nextPlaced, after));
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
        path.push(new Configuration(new BitSet(), new BitSet(), 0, model.initial(key)));
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
