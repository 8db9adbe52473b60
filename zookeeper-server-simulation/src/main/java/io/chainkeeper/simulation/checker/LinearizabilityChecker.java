package io.chainkeeper.simulation.checker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Decides whether a history is linearizable: whether every operation can be given one instant between its invocation
 * and its return so that, executed one at a time in that order, all of them return what they returned.
 *
 * <p>Method: Wing and Gong, "Testing and Verifying Concurrent Objects" (1993), with the memoisation of Lowe, "Testing
 * for Linearizability" (2017), key by key (linearizability is local: Herlihy and Wing, 1990).
 *
 * @param <S> state of the model
 */
public final class LinearizabilityChecker<S> {
    /** Bound on the configurations looked at per key, unless told otherwise. */
    public static final int DEFAULT_MAX_CONFIGURATIONS = 500_000;

    private static final int CONTEXT_OPERATIONS = 6;

    private final SequentialModel<S> model;
    private final int maxConfigurations;

    /** @param model what one object does */
    public LinearizabilityChecker(SequentialModel<S> model) {
        this(model, DEFAULT_MAX_CONFIGURATIONS);
    }

    /**
     * @param model what one object does
     * @param maxConfigurations bound on the configurations looked at per key, positive; beyond it the check fails
     */
    public LinearizabilityChecker(SequentialModel<S> model, int maxConfigurations) {
        this.model = model;
        this.maxConfigurations = maxConfigurations;
    }

    /**
     * Checks a history of any number of keys.
     *
     * @param history operations in any order
     * @throws HistoryViolation if a key's operations are not linearizable, with the operations that show it; or if that
     *     could not be decided within the bound
     */
    public void check(Collection<Operation> history) {
        Map<String, List<Operation>> byKey = new TreeMap<>();
        for (Operation operation : history) {
            byKey.computeIfAbsent(operation.key(), key -> new ArrayList<>()).add(operation);
        }
        byKey.forEach(this::checkKey);
    }

    private void checkKey(String key, List<Operation> operations) {
        if (!isLinearizable(key, operations)) {
            throw new HistoryViolation(explain(key, operations));
        }
    }

    private boolean isLinearizable(String key, List<Operation> operations) {
        return new LinearizabilitySearch<>(model, key, operations, maxConfigurations).succeeds();
    }

    /** Every prefix of a linearizable history is linearizable, so the first answer that cannot be explained is found by
     * halving. */
    private String explain(String key, List<Operation> operations) {
        long[] returns = operations.stream()
                .filter(Operation::isFinished)
                .mapToLong(Operation::returnedAt)
                .sorted()
                .distinct()
                .toArray();
        int explained = -1;
        int unexplained = returns.length - 1;
        while (unexplained - explained > 1) {
            int middle = (explained + unexplained) >>> 1;
            if (isLinearizable(key, prefix(operations, returns[middle]))) {
                explained = middle;
            } else {
                unexplained = middle;
            }
        }
        return describe(key, prefix(operations, returns[unexplained]), returns[unexplained], operations.size());
    }

    private static List<Operation> prefix(List<Operation> operations, long until) {
        List<Operation> prefix = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation.invokedAt() <= until) {
                boolean finished = operation.isFinished() && operation.returnedAt() <= until;
                prefix.add(finished ? operation : unfinished(operation));
            }
        }
        return prefix;
    }

    private static Operation unfinished(Operation operation) {
        return new Operation(
                operation.client(),
                operation.invokedAt(),
                Operation.UNKNOWN,
                operation.kind(),
                operation.key(),
                operation.argument(),
                null,
                operation.place());
    }

    private static String describe(String key, List<Operation> prefix, long until, int total) {
        long from = prefix.stream()
                .filter(operation -> operation.returnedAt() == until)
                .mapToLong(Operation::invokedAt)
                .min()
                .orElse(until);
        List<Operation> before = new ArrayList<>();
        List<Operation> window = new ArrayList<>();
        for (Operation operation : prefix) {
            (operation.returnedAt() < from ? before : window).add(operation);
        }
        before.sort((one, other) -> Long.compare(one.returnedAt(), other.returnedAt()));
        window.sort((one, other) -> Long.compare(one.invokedAt(), other.invokedAt()));
        StringBuilder text = new StringBuilder("key " + key + " is not linearizable (" + total
                + " operations): with the" + " answer marked > no order explains what clients saw\n");
        int shownFrom = Math.max(0, before.size() - CONTEXT_OPERATIONS);
        if (shownFrom > 0) {
            text.append("  ... ").append(shownFrom).append(" earlier operations\n");
        }
        before.subList(shownFrom, before.size())
                .forEach(operation -> text.append("  ").append(operation).append('\n'));
        text.append("  --- concurrent with it, or of unknown outcome:\n");
        window.forEach(operation -> text.append(operation.returnedAt() == until ? "> " : "  ")
                .append(operation)
                .append('\n'));
        return text.toString();
    }
}
