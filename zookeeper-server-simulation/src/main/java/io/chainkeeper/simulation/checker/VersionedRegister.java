package io.chainkeeper.simulation.checker;

import java.util.List;
import java.util.Objects;

/**
 * A znode's data as {@code setData} and {@code getData} show it: a value and a version that each successful write
 * raises by one. Arguments are {@link Write} (null for a read), results are {@link Outcome}.
 */
public final class VersionedRegister implements SequentialModel<VersionedRegister.State> {
    /** Expected version of an unconditional write, as in ZooKeeper. */
    public static final int ANY_VERSION = -1;

    private final State initial;

    /**
     * @param value every key's value before the first operation
     * @param version its version, 0 for a new znode
     */
    public VersionedRegister(String value, int version) {
        this.initial = new State(value, version);
    }

    /**
     * The register's state.
     *
     * @param value data
     * @param version of the data
     */
    public record State(String value, int version) {}

    /**
     * What a write asks for.
     *
     * @param value new data; to make histories telling, different for each write
     * @param expectedVersion {@link #ANY_VERSION}, or the only version that may be replaced
     */
    public record Write(String value, int expectedVersion) {
        @Override
        public String toString() {
            return value + (expectedVersion == ANY_VERSION ? "" : " if version " + expectedVersion);
        }
    }

    /**
     * An answer.
     *
     * @param accepted false if the expected version was not the current one (BADVERSION)
     * @param value what a read returned, else null
     * @param version of the value returned by a read, or the new version after a write; 0 if not accepted
     */
    public record Outcome(boolean accepted, String value, int version) {
        /** The answer to a write whose expected version was wrong. */
        public static final Outcome BAD_VERSION = new Outcome(false, null, 0);

        /**
         * @param version the new version
         * @return the answer to a successful write
         */
        public static Outcome written(int version) {
            return new Outcome(true, null, version);
        }

        /**
         * @param value data
         * @param version of the data
         * @return the answer to a read
         */
        public static Outcome read(String value, int version) {
            return new Outcome(true, value, version);
        }

        @Override
        public String toString() {
            return !accepted ? "BADVERSION" : (value == null ? "" : value + " ") + "version " + version;
        }
    }

    @Override
    public State initial(String key) {
        return initial;
    }

    @Override
    public State apply(State state, Operation operation) {
        Outcome outcome = (Outcome) operation.result();
        if (operation.kind() == Operation.Kind.READ) {
            boolean explained = !operation.isFinished()
                    || (outcome.accepted()
                            && outcome.version() == state.version()
                            && Objects.equals(outcome.value(), state.value()));
            return explained ? state : null;
        }
        Write write = (Write) operation.argument();
        boolean accepted = write.expectedVersion() == ANY_VERSION || write.expectedVersion() == state.version();
        if (operation.isFinished() && outcome.accepted() != accepted) {
            return null;
        }
        if (!accepted) {
            return state;
        }
        State next = new State(write.value(), state.version() + 1);
        return operation.isFinished() && outcome.version() != next.version() ? null : next;
    }

    @Override
    public SequentialModel<State> knowing(List<Operation> operations) {
        return new KnownVersions(this, operations);
    }
}
