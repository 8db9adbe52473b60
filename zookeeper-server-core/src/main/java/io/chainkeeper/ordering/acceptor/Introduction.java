package io.chainkeeper.ordering.acceptor;

import java.util.List;

/**
 * What replicas tell each other when a link comes up, so that a new cluster can be founded.
 *
 * @param promisedNothing whether the sender is blank or a founder and has promised and accepted nothing yet
 * @param founder whether its disk says durably that it founds the cluster
 * @param participants the participants of the membership before the first ordered one, as far as it knows
 */
public record Introduction(boolean promisedNothing, boolean founder, List<Integer> participants) {
    /** Copies the list. */
    public Introduction {
        participants = List.copyOf(participants);
    }
}
