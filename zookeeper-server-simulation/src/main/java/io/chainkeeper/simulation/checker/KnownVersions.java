package io.chainkeeper.simulation.checker;

import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.State;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A versioned register of which a history is known. A version exists once, so a finished operation that tells the value
 * of a version rules out every unfinished write of another value there; and a value that only one operation writes,
 * once seen at a version, was written there or nowhere. Writes that nobody saw are all alike.
 */
final class KnownVersions implements SequentialModel<State> {
    private final VersionedRegister register;
    private final Map<Integer, String> valueOfVersion = new HashMap<>();
    private final Map<String, Integer> versionOfValue = new HashMap<>();
    private final Map<String, Integer> writersOfValue = new HashMap<>();

    KnownVersions(VersionedRegister register, List<Operation> operations) {
        this.register = register;
        for (Operation operation : operations) {
            Write write = (Write) operation.argument();
            if (write != null) {
                writersOfValue.merge(write.value(), 1, Integer::sum);
            }
            Outcome outcome = (Outcome) operation.result();
            if (operation.isFinished() && outcome.accepted()) {
                String value = write == null ? outcome.value() : write.value();
                valueOfVersion.put(outcome.version(), value);
                versionOfValue.put(value, outcome.version());
            }
        }
    }

    @Override
    public State initial(String key) {
        return register.initial(key);
    }

    @Override
    public State apply(State state, Operation operation) {
        State after = register.apply(state, operation);
        if (operation.isFinished() || after == null || after.equals(state)) {
            return after;
        }
        String known = valueOfVersion.get(after.version());
        if (known != null && !known.equals(after.value())) {
            return null;
        }
        Integer seenAt = versionOfValue.get(after.value());
        boolean onlyWriter = writersOfValue.get(after.value()) == 1;
        return seenAt != null && onlyWriter && seenAt != after.version() ? null : after;
    }

    @Override
    public Object indistinguishableGroup(Operation unfinished) {
        if (unfinished.kind() == Operation.Kind.READ) {
            return "reads";
        }
        String value = ((Write) unfinished.argument()).value();
        return versionOfValue.containsKey(value) ? null : "writes that nobody saw";
    }
}
