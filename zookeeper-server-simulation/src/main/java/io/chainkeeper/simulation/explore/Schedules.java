package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.HostRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Runs single schedules: a given one, one shortened, one drawn by chance. */
final class Schedules {
    private final Steps steps;

    Schedules(OrderingProtocolFactory factory, Scope scope) {
        this(factory, scope, Set.of());
    }

    /** @param missing rules that hosts do without */
    Schedules(OrderingProtocolFactory factory, Scope scope, Set<HostRule> missing) {
        this.steps = new Steps(factory, scope, missing);
    }

    /**
     * Runs a schedule, and then what follows when there are no more faults.
     *
     * @param listener told in words of what happens; may be null
     * @return what it breaks; null if nothing
     * @throws IllegalArgumentException if a step of it is not possible where it stands
     */
    Failure replay(List<Choice> schedule, Consumer<String> listener) {
        EnsembleState state = steps.start();
        steps.listen(listener);
        try {
            for (int i = 0; i < schedule.size(); i++) {
                Choice choice = schedule.get(i);
                if (!steps.isPossible(state, choice)) {
                    throw new IllegalArgumentException(
                            "step " + (i + 1) + " of the schedule, " + choice + ", is not possible there");
                }
                if (listener != null) {
                    listener.accept((i + 1) + ". " + choice);
                }
                Failure failure = step(state, choice, schedule.subList(0, i + 1));
                if (failure != null) {
                    return failure;
                }
            }
            if (listener != null) {
                listener.accept("no more faults: everything arrives, and time passes");
            }
            return settle(state, schedule);
        } finally {
            steps.listen(null);
        }
    }

    private Failure settle(EnsembleState state, List<Choice> schedule) {
        try {
            steps.settle(state);
            return null;
        } catch (InvariantViolated broken) {
            return new Failure(List.copyOf(schedule), broken.getMessage());
        }
    }

    private Failure step(EnsembleState state, Choice choice, List<Choice> soFar) {
        try {
            steps.apply(state, choice);
            return null;
        } catch (InvariantViolated broken) {
            return new Failure(List.copyOf(soFar), broken.getMessage());
        }
    }

    /** Leaves out steps, one by one, as long as the rest still breaks a promise of the same sort. */
    Failure shrink(Failure failure) {
        Failure best = failure;
        boolean shorter = true;
        while (shorter) {
            shorter = false;
            for (int i = best.schedule().size() - 2; i >= 0; i--) {
                List<Choice> fewer = new ArrayList<>(best.schedule());
                fewer.remove(Math.min(i, fewer.size() - 1));
                Failure again = failureOf(fewer);
                if (again != null && sort(again).equals(sort(failure))) {
                    shorter = true;
                    best = again;
                    i = Math.min(i, best.schedule().size() - 1);
                }
            }
        }
        return best;
    }

    private static String sort(Failure failure) {
        return failure.message().replaceAll("[:\\d].*", "");
    }

    private Failure failureOf(List<Choice> schedule) {
        try {
            return replay(schedule, null);
        } catch (IllegalArgumentException notPossible) {
            return null;
        }
    }

    /**
     * Runs a schedule drawn by chance, within the scope, and then what follows when there are no more faults.
     *
     * @param seed of the chance
     * @param maxSteps after which it ends
     * @return what it breaks; null if nothing
     */
    Failure walk(long seed, int maxSteps) {
        SplittableRandom random = new SplittableRandom(seed);
        Inclination inclination = new Inclination(random);
        EnsembleState state = steps.start();
        List<Choice> schedule = new ArrayList<>();
        while (schedule.size() < maxSteps) {
            List<Choice> possible = steps.possible(state);
            if (possible.isEmpty()) {
                break;
            }
            schedule.add(inclination.choose(possible, random));
            Failure failure = step(state, schedule.get(schedule.size() - 1), schedule);
            if (failure != null) {
                return failure;
            }
        }
        return settle(state, schedule);
    }

    /** What a walk does more often than other things: without such bias all walks would be of the same, medium sort. */
    private static final class Inclination {
        private static final int MAX_REPLICAS = 10;
        private static final int SLOW_ONE_IN = 16;
        private static final int[] ONE_IN = {2, 4, 8, 16, 32};

        private final boolean[] slow = new boolean[MAX_REPLICAS * MAX_REPLICAS];
        private final int eventOneIn;

        Inclination(SplittableRandom random) {
            eventOneIn = ONE_IN[random.nextInt(ONE_IN.length)];
            for (int i = 0; i < slow.length; i++) {
                slow[i] = random.nextInt(3) == 0;
            }
        }

        /** Slow links and disks, and everything but arrival and durability, have to be drawn more than once. */
        Choice choose(List<Choice> possible, SplittableRandom random) {
            while (true) {
                Choice choice = possible.get(random.nextInt(possible.size()));
                boolean event = choice.kind() != Choice.Kind.DELIVER && choice.kind() != Choice.Kind.SYNC;
                int oneIn =
                        event ? eventOneIn : slow[choice.peer() * MAX_REPLICAS + choice.replica()] ? SLOW_ONE_IN : 1;
                if (random.nextInt(oneIn) == 0) {
                    return choice;
                }
            }
        }
    }
}
