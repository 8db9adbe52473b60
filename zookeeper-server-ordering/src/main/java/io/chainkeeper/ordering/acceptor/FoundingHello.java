package io.chainkeeper.ordering.acceptor;

import io.chainkeeper.ordering.Member;
import java.util.List;

/**
 * What replicas tell each other when a link comes up, so that a new cluster can be founded. All of it is durable.
 *
 * @param disk number of the sender's disk
 * @param promisedNothing whether the sender is blank or a founder and has promised and accepted nothing yet
 * @param founder whether the disk of the sender says that the sender founds the cluster
 * @param participants the participants of the membership before the first ordered one, as far as the sender knows
 * @param companions of a founder: the disks that the sender had met when it became one
 */
public record FoundingHello(
        long disk, boolean promisedNothing, boolean founder, List<Integer> participants, List<Member> companions) {
    /** Copies the lists. */
    public FoundingHello {
        participants = List.copyOf(participants);
        companions = List.copyOf(companions);
    }

    @Override
    public String toString() {
        String said = "disk=" + disk + ", promisedNothing=" + promisedNothing + ", founder=" + founder
                + ", participants=" + participants;
        return founder ? said + ", companions=" + companions : said;
    }
}
