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
     * Groups unfinished operations that no client could tell apart, which keeps the search small when many outcomes are
     * unknown. Two operations may share a group only if in every state of the history one can take the other's place
     * without changing the result of any finished operation.
     *
     * @param unfinished an operation whose outcome is unknown
     * @param finished all finished operations on the same key
     * @return the group's name, or null if the operation is alone
     */
    default Object indistinguishableGroup(Operation unfinished, List<Operation> finished) {
        return null;
    }
}
