package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.HostRule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** Visits every state of a scope, breadth first: those after one step, those after two, and so on. */
final class Explorer {
    private static final int FIRST_CAPACITY = 1 << 16;
    private static final int ROOT = -1;

    /**
     * What was found.
     *
     * @param states how many different states were visited
     * @param steps how many steps were taken between them
     * @param depth after how many steps the last of them was found
     * @param ends states in which nothing more can happen, from which everything asked had to be answered
     * @param exhausted whether there are no others in the scope
     * @param localStates how many different states single replicas were in
     * @param failure of a shortest schedule that breaks a promise; null if none does
     */
    record Result(int states, long steps, int depth, int ends, boolean exhausted, int localStates, Failure failure) {
        @Override
        public String toString() {
            return states + " states, " + steps + " steps, " + localStates + " states of single replicas, depth "
                    + depth + ", " + ends + " ends"
                    + (failure != null ? ", FAILED" : exhausted ? ", exhausted" : ", not exhausted");
        }
    }

    private record Found(int[] state, int number) {}

    private final Steps steps;
    private final StateDigest.Values visited = new StateDigest.Values();
    private Deque<Found> frontier = new ArrayDeque<>();
    private int[] parents = new int[FIRST_CAPACITY];
    private int[] choices = new int[FIRST_CAPACITY];
    private int states;
    private long stepsTaken;
    private int ends;

    Explorer(OrderingProtocolFactory factory, Scope scope) {
        this(factory, scope, Set.of());
    }

    /** @param missing rules that hosts do without */
    Explorer(OrderingProtocolFactory factory, Scope scope, Set<HostRule> missing) {
        this.steps = new Steps(factory, scope, missing);
    }

    /**
     * Explores.
     *
     * @param maxDepth steps after which a schedule is not followed further
     * @param maxStates states after which the exploration ends
     */
    Result run(int maxDepth, int maxStates) {
        find(steps.start().encode(), ROOT, 0);
        int depth = 0;
        while (!frontier.isEmpty() && depth < maxDepth && states < maxStates) {
            depth++;
            Deque<Found> level = frontier;
            frontier = new ArrayDeque<>();
            while (!level.isEmpty() && states < maxStates) {
                Failure failure = expand(level.removeFirst());
                if (failure != null) {
                    return result(depth, false, failure);
                }
            }
            frontier.addAll(level);
        }
        return result(depth, frontier.isEmpty(), null);
    }

    private Result result(int depth, boolean exhausted, Failure failure) {
        return new Result(states, stepsTaken, depth, ends, exhausted, steps.localStates(), failure);
    }

    private Failure expand(Found found) {
        List<Choice> possible = steps.possible(steps.decode(found.state()));
        if (possible.isEmpty()) {
            return end(found);
        }
        for (Choice choice : possible) {
            EnsembleState state = steps.decode(found.state());
            stepsTaken++;
            try {
                steps.apply(state, choice);
            } catch (InvariantViolated broken) {
                List<Choice> schedule = scheduleTo(found.number());
                schedule.add(choice);
                return new Failure(schedule, broken.getMessage());
            }
            find(state.encode(), found.number(), code(choice));
        }
        return null;
    }

    /** Nothing more can happen within the scope. */
    private Failure end(Found found) {
        ends++;
        try {
            steps.settle(steps.decode(found.state()));
            return null;
        } catch (InvariantViolated broken) {
            return new Failure(scheduleTo(found.number()), broken.getMessage());
        }
    }

    private void find(int[] state, int parent, int choice) {
        if (visited.add(StateDigest.of(state))) {
            if (states == parents.length) {
                parents = Arrays.copyOf(parents, 2 * states);
                choices = Arrays.copyOf(choices, 2 * states);
            }
            parents[states] = parent;
            choices[states] = choice;
            frontier.addLast(new Found(state, states));
            states++;
        }
    }

    private List<Choice> scheduleTo(int number) {
        ArrayDeque<Choice> schedule = new ArrayDeque<>();
        for (int at = number; parents[at] != ROOT; at = parents[at]) {
            int code = choices[at];
            schedule.addFirst(new Choice(Choice.Kind.values()[code >> 8], code >> 4 & 0xf, code & 0xf));
        }
        return new ArrayList<>(schedule);
    }

    private static int code(Choice choice) {
        return choice.kind().ordinal() << 8 | choice.replica() << 4 | choice.peer();
    }

    Steps steps() {
        return steps;
    }
}
