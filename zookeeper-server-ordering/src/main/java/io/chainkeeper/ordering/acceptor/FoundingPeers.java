package io.chainkeeper.ordering.acceptor;

import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.RuleSwitches;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the others have said of themselves, as far as founding a cluster with them depends on it
 * (docs/decisions/022-founding.md).
 *
 * <p>A replica that finds its disk empty may have had another disk before, and have voted with that. So what counts is
 * what the others were when they met this very disk: a replica that was blank then had not taken part in anything
 * together with an earlier disk.
 */
final class FoundingPeers {
    private static final int IDS = Membership.MAX_REPLICA_ID + 1;

    private final Member self;
    private final RuleSwitches rules;
    private final List<Integer> participants;

    /** Replicas that were blank when they met this disk. */
    private final boolean[] companions = new boolean[IDS];

    /** Replicas that had promised nothing when they met this disk. */
    private final boolean[] unpromised = new boolean[IDS];

    private final boolean[] founders = new boolean[IDS];
    private final long[] disks = new long[IDS];
    private boolean somebodyHasPromised;

    /**
     * @param self this replica with its disk
     * @param participants whom the cluster is to begin with, as far as this replica knows
     * @param rules that are followed
     */
    FoundingPeers(Member self, List<Integer> participants, RuleSwitches rules) {
        this.self = self;
        this.participants = participants;
        this.rules = rules;
    }

    /** A peer has told about itself. */
    void met(int peer, FoundingHello hello) {
        boolean sameParticipants = hello.participants().equals(participants);
        somebodyHasPromised |= !hello.promisedNothing();
        founders[peer] = hello.founder() && sameParticipants;
        if (sameParticipants && hello.promisedNothing()) {
            disks[peer] = hello.disk();
            unpromised[peer] = true;
            boolean standsForSelf =
                    hello.companions().contains(self) || !rules.isOn(IdentityRule.FOUNDER_STANDS_FOR_COMPANIONS_ONLY);
            companions[peer] |= !hello.founder() || standsForSelf;
        }
    }

    /** Whether no earlier disk of this replica can have been missed by any quorum, as far as others remember. */
    boolean mayFound(int quorum) {
        boolean nobodyElseHasPromised = count(unpromised) == others().count();
        return !somebodyHasPromised && (count(companions) + 1 >= quorum || nobodyElseHasPromised);
    }

    /** How many others have founded the cluster. */
    int founders() {
        return count(founders);
    }

    /** The disks met so far: they found the cluster together with this replica, or may. */
    List<Member> met() {
        return others().filter(id -> unpromised[id])
                .mapToObj(id -> new Member(id, disks[id]))
                .toList();
    }

    private int count(boolean[] peers) {
        return (int) others().filter(id -> peers[id]).count();
    }

    private IntStream others() {
        return participants.stream().mapToInt(id -> id).filter(id -> id != self.replicaId());
    }
}
