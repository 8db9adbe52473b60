package io.chainkeeper.simulation.checker;

/**
 * One znode that is never deleted, with its access list: who may do what is decided by the list that is in force when
 * the operation takes effect. Arguments are {@link Request}, results are {@link Outcome}.
 */
public final class GuardedZnodeModel implements SequentialModel<GuardedZnodeModel.State> {
    /** Expected version of an unconditional change. */
    public static final int ANY_VERSION = -1;

    private final State initial;

    /** @param permissions of everybody at first, bits as {@link Request} has them */
    public GuardedZnodeModel(int permissions) {
        this.initial = new State(permissions, 0, "", 0);
    }

    /**
     * The node's state.
     *
     * @param permissions of everybody
     * @param listVersion version of the access list
     * @param value data
     * @param version of the data
     */
    public record State(int permissions, int listVersion, String value, int version) {}

    /** What is asked. */
    public enum Action {
        /** Replace the access list if its version is the expected one. */
        SET_LIST,
        /** Return the access list. */
        GET_LIST,
        /** Replace the data. */
        SET_DATA,
        /** Return the data. */
        GET_DATA
    }

    /**
     * A request.
     *
     * @param action what is asked
     * @param needed bit of the permissions without which it is refused, 0 if it is never refused
     * @param permissions of the new access list, or 0
     * @param expectedListVersion {@link #ANY_VERSION}, or the only version that is accepted
     * @param value new data, or null
     */
    public record Request(Action action, int needed, int permissions, int expectedListVersion, String value) {}

    /** How it ended. */
    public enum Code {
        /** As asked. */
        OK,
        /** The access list does not allow it. */
        NO_AUTH,
        /** The version of the access list is another one. */
        BAD_VERSION
    }

    /**
     * An answer.
     *
     * @param code how it ended
     * @param state as far as the answer tells it, after the operation; null if it did not succeed
     */
    public record Outcome(Code code, State state) {}

    @Override
    public State initial(String key) {
        return initial;
    }

    @Override
    public State apply(State state, Operation operation) {
        Request request = (Request) operation.argument();
        Outcome outcome = (Outcome) operation.result();
        Code code = code(state, request);
        if (operation.isFinished() && outcome.code() != code) {
            return null;
        }
        if (code != Code.OK) {
            return state;
        }
        State after = switch (request.action()) {
            case SET_LIST -> new State(request.permissions(), state.listVersion() + 1, state.value(), state.version());
            case SET_DATA -> new State(state.permissions(), state.listVersion(), request.value(), state.version() + 1);
            case GET_LIST, GET_DATA -> state;
        };
        return operation.isFinished() && !explains(request.action(), outcome.state(), after) ? null : after;
    }

    private static Code code(State state, Request request) {
        if (request.needed() != 0 && (state.permissions() & request.needed()) == 0) {
            return Code.NO_AUTH;
        }
        boolean matches =
                request.expectedListVersion() == ANY_VERSION || request.expectedListVersion() == state.listVersion();
        return matches ? Code.OK : Code.BAD_VERSION;
    }

    private static boolean explains(Action action, State told, State state) {
        boolean versions = told.listVersion() == state.listVersion() && told.version() == state.version();
        return switch (action) {
            case SET_LIST, SET_DATA -> versions;
            case GET_LIST -> versions && told.permissions() == state.permissions();
            case GET_DATA -> versions && told.value().equals(state.value());
        };
    }
}
