package io.chainkeeper.simulation.checker;

import java.util.List;

/**
 * What an object does when its operations come one at a time. Stateless.
 *
 * @param <S> the object's state, an immutable value with {@code equals} and {@code hashCode}
 */
public interface SequentialModel<S> {
    /**
     * @param key the object
     * @return its state before the first operation
     */
    S initial(String key);

    /**
     * Lets an operation take effect.
     *
     * @param state before it
     * @param operation the operation; its result counts only if it is finished
     * @return the state after it, an equal state if it changes nothing, or null if in this state it could not have had
     *     the result that it had
     */
    S apply(S state, Operation operation);

    /**
     * A model that makes use of everything known about one key: it may refuse an unfinished operation in states from
     * which the finished ones could not be explained any more.
     *
     * @param operations all operations on the key
     * @return the model to search with
     */
    default SequentialModel<S> knowing(List<Operation> operations) {
        return this;
    }

    /**
     * Groups unfinished operations that no client could tell apart, which keeps the search small when many outcomes are
     * unknown: of a group only one is tried at a time, conditional ones first, then the one invoked first. Operations
     * may share a group only if, wherever two of them would change the state, one can take the other's place without
     * changing any finished operation's result, and a conditional one that would change the state now never could
     * later.
     *
     * @param unfinished an operation whose outcome is unknown
     * @return the group's name, or null if the operation is alone
     */
    default Object indistinguishableGroup(Operation unfinished) {
        return null;
    }
}
