package io.chainkeeper.ordering.membership;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.membership.MembershipPolicy.Limits;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.Test;

/** One change at a time, and none after which the members that are there could decide nothing. */
public final class MembershipPolicyTest {
    private static final int SELF = 1;
    private static final int SILENCE_TICKS = 10;
    private static final int REMOVAL_TICKS = 40;
    private static final int MAJORITY_OF_THREE = 2;

    /** Disks of the replicas, who is silent for how long, and who learns. */
    private static final class Others implements MembershipPolicy.Evidence {
        private final Map<Integer, Long> disks = new TreeMap<>();
        private final Map<Integer, Long> silent = new TreeMap<>();
        private final Set<Integer> learning = new TreeSet<>();
        private final Set<Integer> behind = new TreeSet<>();

        @Override
        public boolean isLearning(int replicaId) {
            return learning.contains(replicaId);
        }

        @Override
        public long disk(int replicaId) {
            return disks.getOrDefault(replicaId, (long) replicaId);
        }

        @Override
        public boolean hasCaughtUp(int replicaId) {
            return !behind.contains(replicaId);
        }

        @Override
        public long silentTicks(int replicaId) {
            return silent.getOrDefault(replicaId, 0L);
        }

        @Override
        public boolean mayVote(Member member) {
            return silentTicks(member.replicaId()) == 0 && disk(member.replicaId()) == member.disk();
        }
    }

    private final Others others = new Others();

    private MembershipPolicy policy(int minQuorumSize, boolean removesSilent, Start start) {
        return new MembershipPolicy(
                new ProtocolContext(SELF, 1, Ensemble.of(List.of(1, 2, 3)), Map.of(), bound -> 0, 50, start),
                new Limits(minQuorumSize, removesSilent, SILENCE_TICKS, REMOVAL_TICKS),
                others);
    }

    private Membership next(Membership now, Integer... participants) {
        return policy(MAJORITY_OF_THREE, false, Start.ORDINARY).next(now, Ensemble.of(List.of(participants)));
    }

    private static Membership members(int... ids) {
        List<Member> members =
                IntStream.of(ids).mapToObj(id -> new Member(id, id)).toList();
        return new Membership(MAJORITY_OF_THREE, members);
    }

    @Test
    public void asConfigured_nothingChanges() {
        assertNull(next(members(1, 2, 3), 1, 2, 3));
    }

    @Test
    public void oneThatHasCaughtUp_isAdmittedAndOneThatHasNotIsNot() {
        others.learning.addAll(List.of(4, 5));
        others.behind.add(4);
        assertEquals(members(1, 2, 3, 5), next(members(1, 2, 3), 1, 2, 3, 4, 5));
    }

    @Test
    public void lostDisk_isAdmittedUnderItsNewNumber() {
        others.learning.add(3);
        others.disks.put(3, 33L);
        assertEquals(members(1, 2, 3).with(new Member(3, 33)), next(members(1, 2, 3), 1, 2, 3));
    }

    @Test
    public void silentMember_isRemovedBeforeAnybodyIsAdmittedIfItIsNoParticipant() {
        others.learning.add(4);
        others.silent.put(3, SILENCE_TICKS + 1L);
        assertEquals(members(1, 2), next(members(1, 2, 3), 1, 2, 4));
        assertEquals(members(1, 2, 3, 4), next(members(1, 2, 3), 1, 2, 3, 4));
    }

    @Test
    public void unwanted_goOneByOneAndSelfLast() {
        assertEquals(members(1, 3), next(members(1, 2, 3), 3));
        assertEquals(members(3), next(members(1, 3), 3));
    }

    @Test
    public void changeThatLeavesNoQuorumAlive_isNotProposed() {
        others.silent.put(3, SILENCE_TICKS + 1L);
        assertNull("2 is needed as long as 3 is silent", next(members(1, 2, 3), 1, 3));
        others.learning.add(4);
        others.silent.put(2, 1L);
        assertNull("of four, two are no quorum", next(members(1, 2, 3), 1, 2, 3, 4));
    }

    @Test
    public void silentParticipant_staysUnlessSmallerQuorumsAreAllowed() {
        others.silent.put(3, REMOVAL_TICKS + 1L);
        Membership now = new Membership(1, members(1, 2, 3).members());
        Ensemble all = Ensemble.of(List.of(1, 2, 3));
        assertNull(policy(1, false, Start.ORDINARY).next(now, all));
        assertEquals(now.without(3), policy(1, true, Start.ORDINARY).next(now, all));
        others.silent.put(3, (long) REMOVAL_TICKS);
        assertNull(policy(1, true, Start.ORDINARY).next(now, all));
    }

    @Test
    public void leastQuorumThatWasSetAnew_isProposed() {
        Membership now = members(1, 2, 3);
        assertEquals(
                new Membership(3, now.members()),
                policy(3, false, Start.ORDINARY).next(now, Ensemble.of(List.of(1, 2, 3))));
    }

    @Test
    public void soleSurvivor_saysWhoIsLeftUntilThatIsProposed_andAdmitsNobody() {
        MembershipPolicy policy = policy(MAJORITY_OF_THREE, false, Start.SOLE_SURVIVOR);
        Membership now = members(1);
        Ensemble all = Ensemble.of(List.of(1, 2, 3));
        assertEquals(now, policy.next(now, all));
        assertEquals("asked again before it was proposed", now, policy.next(now, all));
        policy.proposed();
        others.learning.add(2);
        assertNull(policy.next(now, all));
        assertEquals("a later start does", members(1, 2), next(now, 1, 2, 3));
    }
}
