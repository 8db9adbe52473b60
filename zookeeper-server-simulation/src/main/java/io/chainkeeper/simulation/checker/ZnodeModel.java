package io.chainkeeper.simulation.checker;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One znode without children: whether it exists, its data, its version, and the session that owns it if it is
 * ephemeral. Arguments are {@link Request}, results are {@link Outcome}.
 */
public final class ZnodeModel implements SequentialModel<ZnodeModel.State> {
    /** Expected version of an unconditional change. */
    public static final int ANY_VERSION = -1;

    /** Owner of a node that is not ephemeral. */
    public static final long NO_OWNER = 0;

    /** The state of a node that does not exist. */
    public static final State ABSENT = new State(false, null, 0, NO_OWNER, Set.of());

    private final Map<String, Integer> writersOfValue = new HashMap<>();
    private final Set<String> seenValues = new HashSet<>();

    /** Creates a model that knows of no history. */
    public ZnodeModel() {}

    /**
     * The node's state.
     *
     * @param exists whether there is a node
     * @param value data, null if there is none
     * @param version of the data
     * @param owner session of an ephemeral node, or {@link #NO_OWNER}
     * @param ended sessions that are known to have ended: nobody creates a node as one of them any more
     */
    public record State(boolean exists, String value, int version, long owner, Set<Long> ended) {
        State absent() {
            return new State(false, null, 0, NO_OWNER, ended);
        }
    }

    /** What is asked. */
    public enum Action {
        /** Create the node with this value and owner. */
        CREATE,
        /** Replace the data if the version is the expected one. */
        SET,
        /** Delete the node if the version is the expected one. */
        DELETE,
        /** Compare the version, as part of a transaction. */
        CHECK,
        /** Return what there is. */
        READ,
        /** The session that is the owner ends. */
        END_SESSION
    }

    /**
     * A request.
     *
     * @param action what is asked
     * @param value new data, different for each request, or null
     * @param expectedVersion {@link #ANY_VERSION}, or the only version that is accepted
     * @param owner session that creates an ephemeral node, or that ends; else {@link #NO_OWNER}
     */
    public record Request(Action action, String value, int expectedVersion, long owner) {}

    /** How it ended. */
    public enum Code {
        /** As asked. */
        OK,
        /** There is no node. */
        NO_NODE,
        /** There is a node already. */
        NODE_EXISTS,
        /** The version is another one. */
        BAD_VERSION
    }

    /**
     * An answer.
     *
     * @param code how it ended
     * @param value data that a read returned; null if it returned none
     * @param version of the node that a read or set returned, else 0
     * @param owner that a read returned
     */
    public record Outcome(Code code, String value, int version, long owner) {
        /**
         * @param code how it ended
         * @return an answer that tells nothing else
         */
        public static Outcome of(Code code) {
            return new Outcome(code, null, 0, NO_OWNER);
        }
    }

    @Override
    public State initial(String key) {
        return ABSENT;
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
        if (operation.isFinished() && !explains(state, request, outcome)) {
            return null;
        }
        if (request.action() == Action.CREATE && state.ended().contains(request.owner())) {
            return null;
        }
        State after = after(state, request, operation.isFinished());
        boolean writesElsewhere = !operation.isFinished() && request.value() != null && isKnown(request, after);
        return writesElsewhere ? null : after;
    }

    private static Code code(State state, Request request) {
        if (request.action() == Action.END_SESSION) {
            return Code.OK;
        }
        if (request.action() == Action.CREATE) {
            return state.exists() ? Code.NODE_EXISTS : Code.OK;
        }
        if (!state.exists()) {
            return Code.NO_NODE;
        }
        boolean matches = request.expectedVersion() == ANY_VERSION || request.expectedVersion() == state.version();
        return matches ? Code.OK : Code.BAD_VERSION;
    }

    private static boolean explains(State state, Request request, Outcome outcome) {
        return switch (request.action()) {
            case READ ->
                outcome.version() == state.version()
                        && outcome.owner() == state.owner()
                        && (outcome.value() == null || Objects.equals(outcome.value(), state.value()));
            case SET -> outcome.version() == state.version() + 1;
            case CREATE, DELETE, CHECK, END_SESSION -> true;
        };
    }

    private static State after(State state, Request request, boolean finished) {
        return switch (request.action()) {
            case READ, CHECK -> state;
            case SET -> new State(true, request.value(), state.version() + 1, state.owner(), state.ended());
            case CREATE -> new State(true, request.value(), 0, request.owner(), state.ended());
            case DELETE -> state.absent();
            case END_SESSION -> {
                State left = state.owner() == request.owner() ? state.absent() : state;
                yield finished ? withEnded(left, request.owner()) : left;
            }
        };
    }

    private static State withEnded(State state, long session) {
        Set<Long> ended = new HashSet<>(state.ended());
        ended.add(session);
        return new State(state.exists(), state.value(), state.version(), state.owner(), Set.copyOf(ended));
    }

    /** Whether the value was seen, with another version than it would get here. */
    private boolean isKnown(Request request, State after) {
        Integer version = versionOfValue.get(request.value());
        return version != null && version != after.version() && writersOfValue.getOrDefault(request.value(), 1) == 1;
    }

    private final Map<String, Integer> versionOfValue = new HashMap<>();

    @Override
    public SequentialModel<State> knowing(List<Operation> operations) {
        ZnodeModel model = new ZnodeModel();
        for (Operation operation : operations) {
            Request request = (Request) operation.argument();
            Outcome outcome = (Outcome) operation.result();
            if (request.value() != null) {
                model.writersOfValue.merge(request.value(), 1, Integer::sum);
            }
            if (operation.isFinished() && request.action() == Action.READ && outcome.value() != null) {
                model.seenValues.add(outcome.value());
                model.versionOfValue.put(outcome.value(), outcome.version());
            }
        }
        return model;
    }

    /** Requests that differ in nothing but a value that nobody saw can take each other's place. */
    @Override
    public Object indistinguishableGroup(Operation unfinished) {
        Request request = (Request) unfinished.argument();
        return seenValues.contains(request.value())
                ? null
                : new Request(request.action(), null, request.expectedVersion(), request.owner());
    }
}
