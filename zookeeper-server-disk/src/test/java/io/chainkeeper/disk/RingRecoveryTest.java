package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.SharedDisks;
import java.util.List;
import org.junit.Test;

/** What a server makes of its own ring where its disks do not agree: each start finds other ones. */
public final class RingRecoveryTest {
    private static final int LONG = DiskEnsemble.LONG;

    private static void only(DiskEnsemble ensemble, List<Integer> disks) {
        for (int disk = 0; disk < ensemble.disks().count(); disk++) {
            ensemble.disks().setAlive(disk, disks.contains(disk));
        }
    }

    private static void propose(DiskEnsemble ensemble, int server, int times) {
        for (int i = 0; i < times; i++) {
            ensemble.node(server).propose();
            ensemble.run(1);
        }
    }

    /** Until a server leads and has just asked for its first entry to be written. */
    private static void stepUntilItLeads(DiskNode node, DiskEnsemble ensemble) {
        for (int ticks = 0; node.status().role() != Role.LEADER && ticks < LONG; ticks++) {
            node.tick();
            for (int disk = 0; disk < ensemble.disks().count(); disk++) {
                boolean more = true;
                while (more && node.status().role() != Role.LEADER) {
                    more = node.carryOut(disk, ensemble.random()) | node.answer(disk, ensemble.random());
                }
            }
        }
        assertEquals(Role.LEADER, node.status().role());
    }

    /** A start's entries come to one disk, those of the next one to another; a third start takes up the former. */
    private static void everyStartFindsOtherDisks(OrderingProtocolFactory factory) {
        DiskEnsemble one = new DiskEnsemble(factory, 1, 3, 1);
        one.startAll();
        one.awaitLeader();
        one.checkpointAll();
        one.run(LONG);

        only(one, List.of(0));
        one.run(6);
        propose(one, 1, 2);
        one.crash(1);

        only(one, List.of(1, 2));
        one.start(1);
        stepUntilItLeads(one.node(1), one);
        only(one, List.of(1));
        while (one.node(1).carryOut(1, one.random())) {
            // what the second start proposes is on one disk
        }
        one.crash(1);

        only(one, List.of(0, 2));
        one.start(1);
        one.run(LONG);
        int decided = one.order().size();
        assertTrue("the first start's are decided: " + decided, decided > 3);
        one.crash(1);

        only(one, List.of(1, 2));
        one.start(1);
        one.run(LONG);
        one.assertGoesOn(1);
        assertEquals(one.order(), one.node(1).deliveredValues());
    }

    @Test
    public void everyStartFindsOtherDisks_whatWasDecidedIsKept() {
        everyStartFindsOtherDisks(new DiskPaxosFactory());
    }

    @Test
    public void ringIsTakenUpPlaceByPlace_isNoticed() {
        OrderingProtocolFactory broken =
                new DiskPaxosFactory().without(SafetyRule.RING_IS_TAKEN_UP_FROM_ONE_DISK.name());
        InvariantViolated e = assertThrows(InvariantViolated.class, () -> everyStartFindsOtherDisks(broken));
        assertTrue(e.getMessage(), e.getMessage().contains("a majority of the shared disks does not have it"));
    }

    /** One disk says that an entry is freed which was given up; others hold another one in its place. */
    private static void diskSaysWhereAGivenUpRingBegins(OrderingProtocolFactory factory, boolean joins) {
        DiskEnsemble two = new DiskEnsemble(factory, 2, 3, 1);
        two.startAll();
        int first = two.awaitLeader();
        DiskNode server = two.node(first);
        int other = 3 - first;
        server.cutOff(1, true);
        server.cutOff(2, true);
        two.run(6);
        server.propose();
        two.run(4 * LONG);
        assertEquals(other, two.leader());
        two.checkpointAll();
        two.run(LONG);
        two.crash(first);

        server.cutOff(0, true);
        server.cutOff(1, false);
        server.cutOff(2, false);
        two.crash(other);
        two.start(first);
        two.run(2 * LONG);
        propose(two, first, 3);
        two.run(LONG);
        if (joins) {
            server.cutOff(0, false);
        } else {
            two.crash(first);
            server.cutOff(0, false);
            server.cutOff(2, true);
            two.start(first);
        }
        two.run(2 * LONG);
        two.start(other);
        two.linkAll();
        two.run(4 * LONG);
        assertEquals(two.order(), server.deliveredValues());
        assertEquals(two.order(), two.node(other).deliveredValues());
    }

    @Test
    public void diskThatJoinsSaysWhereAGivenUpRingBegins_nothingElseIsFreed() {
        diskSaysWhereAGivenUpRingBegins(new DiskPaxosFactory(), true);
    }

    @Test
    public void startFindsWhereAGivenUpRingBegins_nothingElseIsFreed() {
        diskSaysWhereAGivenUpRingBegins(new DiskPaxosFactory(), false);
    }

    @Test
    public void ringIsFreedByPlace_isNoticed() {
        OrderingProtocolFactory broken = new DiskPaxosFactory().without(SafetyRule.RING_IS_FREED_BY_POSITION.name());
        for (boolean joins : new boolean[] {true, false}) {
            InvariantViolated e =
                    assertThrows(InvariantViolated.class, () -> diskSaysWhereAGivenUpRingBegins(broken, joins));
            assertTrue(e.getMessage(), e.getMessage().contains("a majority of the shared disks does not have it"));
        }
    }

    /** Without, a disk could say that something is freed which the next start finds on another one. */
    @Test
    public void diskLacksEntries_aStartWritesItsHeaderThereBeforeThem() throws Exception {
        DiskEnsemble one = new DiskEnsemble(new DiskPaxosFactory(), 1, 3, 1);
        one.startAll();
        one.awaitLeader();
        only(one, List.of(0, 1));
        propose(one, 1, 3);
        one.crash(1);
        only(one, List.of(0, 1, 2));
        long begin = one.disks().layout().ringOffset(0);
        ByteSlice before = one.disks().read(2, begin, DiskLayout.MIN_REGION_BYTES);
        one.start(1);
        DiskNode node = one.node(1);
        while (one.disks().read(2, begin, DiskLayout.MIN_REGION_BYTES).equals(before)) {
            node.tick();
            for (int disk = 0; disk < 3; disk++) {
                node.carryOut(disk, one.random());
                node.answer(disk, one.random());
            }
        }
        ByteSlice block = one.disks().read(2, one.disks().layout().headerOffset(0), SharedDisks.BLOCK_BYTES);
        assertEquals(2, ServerHeader.decode(block, 0, 102).incarnation());
    }
}
