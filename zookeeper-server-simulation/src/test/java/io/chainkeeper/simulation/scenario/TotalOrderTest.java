package io.chainkeeper.simulation.scenario;

import static io.chainkeeper.simulation.scenario.ManualEnsemble.ids;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.register.ClientOperation;
import io.chainkeeper.simulation.scenario.ManualWorld.Link;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What every protocol that orders commands has to do, whatever its messages are. Runs for all on the class path. */
@RunWith(Parameterized.class)
public class TotalOrderTest {
    private static final int TICKS_UNTIL_MEASURED = 50; // twice a second

    private final OrderingProtocolFactory factory;
    private ManualEnsemble ensemble;

    public TotalOrderTest(String protocol) {
        this.factory = Protocols.named(protocol);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.copyOf(Protocols.all().keySet());
    }

    @After
    public void whatClientsSaw_isLinearizable() {
        ensemble.assertAllEqual();
        ensemble.assertLinearizable();
    }

    @After
    public void disks_areRemoved() {
        ensemble.world().close();
    }

    private void start(int replicas) {
        ensemble = ManualEnsemble.started(factory, replicas);
    }

    private void configure(Integer... participants) {
        ensemble.world().configure(Ensemble.of(List.of(participants)));
    }

    /** Where a majority of servers decides these have no answer; where disks that are shared do, they have. */
    private void assertAnsweredOnlyByDisks(ClientOperation... operations) {
        if (factory.sharedDisks() == null) {
            ensemble.assertNeverAnswered(operations);
        } else {
            ensemble.awaitAnswered(operations);
        }
    }

    /** The replica that says that it leads. */
    private int leader() {
        ensemble.await(
                "somebody leads",
                () -> ensemble.running().stream().anyMatch(id -> statusOf(id).role() == Role.LEADER));
        return ensemble.running().stream()
                .filter(id -> statusOf(id).role() == Role.LEADER)
                .findFirst()
                .orElseThrow();
    }

    private OrderingStatus statusOf(int id) {
        return ensemble.world().host(id).status();
    }

    private boolean isVoter(int id) {
        return ensemble.world().replica(id).isRunning()
                && ensemble.world().host(id).isVoter();
    }

    // ---------------------------------------------------------------- without faults

    @Test
    public void writesAtEveryReplica_areExecutedEverywhereOnce() {
        start(5);
        List<ClientOperation> writes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            writes.add(ensemble.write(1 + i % 5, "v" + i));
        }
        ensemble.awaitAnswered(writes);
        ensemble.assertAllEqual();
        assertEquals(
                "each write is a version, and so is the first one",
                101,
                ensemble.register(3).version());
    }

    @Test
    public void thousandWritesOfOneReplica_keepTheirOrder() {
        start(3);
        for (int id : ids(3)) {
            int before = ensemble.register(id).version();
            List<ClientOperation> writes = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                writes.add(ensemble.write(id, "v" + i));
                if (i % 100 == 50) {
                    ensemble.pass(0);
                }
            }
            ensemble.awaitAnswered(writes);
            for (int i = 0; i < writes.size(); i++) {
                assertEquals(
                        "write " + i + " at " + id,
                        before + i + 1,
                        writes.get(i).outcome().version());
            }
        }
    }

    @Test
    public void writeIsAnswered_readAtAnyOtherReplicaSeesIt() {
        start(3);
        for (int writer : ids(3)) {
            ensemble.awaitAnswered(ensemble.write(writer, "by " + writer));
            for (int reader : ids(3)) {
                ClientOperation read = ensemble.read(reader);
                ensemble.awaitAnswered(read);
                assertEquals("by " + writer, read.outcome().value());
            }
        }
    }

    /** Nor do ticks, so a disk may sleep. */
    @Test
    public void idleEnsemble_readsWriteNothing() {
        start(3);
        ensemble.pass(100);
        List<Integer> before = recordCounts();
        for (int id : ids(3)) {
            ensemble.awaitAnswered(ensemble.read(id));
        }
        ensemble.pass(1000);
        assertEquals(before, recordCounts());
    }

    private List<Integer> recordCounts() {
        return ids(3).stream()
                .map(id -> ensemble.world().replica(id).log().records().size())
                .toList();
    }

    @Test
    public void oneLeads_theOthersKnowWho() {
        start(3);
        int leader = leader();
        ensemble.await(
                "all know it",
                () -> ids(3).stream()
                        .allMatch(id -> statusOf(id).leader() == leader
                                && statusOf(id).epoch() == statusOf(leader).epoch()));
        for (int id : ids(3)) {
            assertEquals(
                    id == leader ? Role.LEADER : Role.FOLLOWER, statusOf(id).role());
        }
    }

    /** What a status page says of members: where they are, and where they were when they were last heard of. */
    @Test
    public void oneMemberIsDown_theOthersTellThatItStandsStill() {
        start(3);
        int leader = leader();
        int down = leader == 3 ? 1 : 3;
        awaitAcknowledgedOf(down, leader);
        ensemble.crash(down);
        ensemble.awaitAnswered(ensemble.write(leader, "while one is down"));
        long reached = acknowledged(leader, down);
        awaitAcknowledgedOf(leader, leader);
        assertTrue("it lags", acknowledged(leader, leader) > acknowledged(leader, down));
        ensemble.pass(100);
        assertEquals(reached, acknowledged(leader, down));
        ensemble.restart(down);
        awaitAcknowledgedOf(down, leader);
    }

    /** Waits until one replica tells that another has everything that it has itself. */
    private void awaitAcknowledgedOf(int member, int teller) {
        ensemble.pass(TICKS_UNTIL_MEASURED);
        ensemble.await(
                teller + " tells that " + member + " has everything",
                () -> acknowledged(teller, member)
                        == ensemble.world().host(teller).gauges().get("max_decided"));
    }

    private long acknowledged(int teller, int member) {
        return ensemble.world().host(teller).gauges().get("acknowledged." + member);
    }

    @Test
    public void ensembleOfOne_ordersAlone() {
        start(1);
        ensemble.awaitAnswered(ensemble.write(1, "alone"), ensemble.read(1));
        ensemble.crash(1);
        ensemble.restart(1);
        ensemble.awaitAnswered(ensemble.read(1));
        assertEquals("alone", ensemble.register(1).value());
    }

    @Test
    public void observer_readsAndWritesButDecidesNothing() {
        ensemble = new ManualEnsemble(factory, 4, new Ensemble(List.of(1, 2, 3), List.of(4)));
        ensemble.start(ids(4));
        ensemble.awaitAnswered(ensemble.write(4, "at the observer"));
        ClientOperation read = ensemble.read(4);
        ensemble.awaitAnswered(read);
        assertEquals("at the observer", read.outcome().value());
        assertEquals(Role.OBSERVER, statusOf(4).role());
        assertFalse(isVoter(4));
        ensemble.crash(2);
        ensemble.crash(3);
        ClientOperation write = ensemble.write(1, "one of three participants and an observer");
        assertAnsweredOnlyByDisks(write);
        ensemble.restart(3);
        ensemble.awaitAnswered(write);
    }

    // ---------------------------------------------------------------- crashes

    @Test
    public void eachReplicaCrashesUnderLoad_theOthersGoOnAndItCatchesUp() {
        start(3);
        for (int victim : ids(3)) {
            List<ClientOperation> writes = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                for (int id : ids(3)) {
                    ClientOperation write = ensemble.write(id, victim + "." + i + "." + id);
                    if (id != victim) {
                        writes.add(write);
                    }
                }
                ensemble.world().deliver(new Link(victim, 1 + victim % 3), 1);
            }
            ensemble.crash(victim);
            ensemble.awaitAnswered(writes);
            ensemble.restart(victim);
            ensemble.awaitAnswered(ensemble.write(victim, "back"));
            ensemble.assertAllEqual();
        }
    }

    @Test
    public void leaderCrashesOverAndOver_eachWriteIsAnsweredAndExecutedOnce() {
        start(5);
        int expected = 1;
        for (int round = 0; round < 4; round++) {
            int victim = leader();
            List<ClientOperation> writes = new ArrayList<>();
            for (int id : ids(5)) {
                if (id != victim) {
                    writes.add(ensemble.write(id, round + "." + id));
                }
            }
            ensemble.crash(victim);
            ensemble.awaitAnswered(writes);
            expected += writes.size();
            ensemble.restart(victim);
            ensemble.assertAllEqual();
            assertEquals(expected, ensemble.register(victim).version());
        }
    }

    @Test
    public void allCrashAtOnce_whatWasAnsweredIsThere() {
        start(3);
        for (int round = 0; round < 3; round++) {
            String value = "round " + round;
            ensemble.awaitAnswered(ensemble.write(1 + round, value));
            ids(3).forEach(ensemble::crash);
            ensemble.start(ids(3));
            ClientOperation read = ensemble.read(1);
            ensemble.awaitAnswered(read);
            assertEquals(value, read.outcome().value());
        }
    }

    @Test
    public void majorityIsDown_onlySharedDisksAnswerUntilOneIsBack() {
        start(3);
        ensemble.crash(2);
        ensemble.crash(3);
        ClientOperation write = ensemble.write(1, "alone");
        ClientOperation read = ensemble.read(1);
        assertAnsweredOnlyByDisks(write, read);
        ensemble.restart(2);
        ensemble.awaitAnswered(write, read);
    }

    // ---------------------------------------------------------------- disks

    @Test
    public void onlyOneDiskOfThreeAnswers_nothingIsAcknowledged() {
        start(3);
        if (factory.sharedDisks() != null) {
            ensemble.world().sharedDisks().disk(1).die();
            ensemble.world().sharedDisks().disk(2).die();
            ClientOperation lonely = ensemble.write(1, "not durable");
            ensemble.assertNeverAnswered(lonely);
            ensemble.world().sharedDisks().disk(2).revive();
            ensemble.awaitAnswered(lonely);
            return;
        }
        ensemble.world().holdDisk(2, true);
        ensemble.world().holdDisk(3, true);
        ClientOperation write = ensemble.write(1, "not durable");
        ensemble.assertNeverAnswered(write);
        ensemble.world().holdDisk(3, false);
        ensemble.awaitAnswered(write);
        ensemble.world().holdDisk(2, false);
    }

    @Test
    public void diskIsLost_replicaIsAdmittedAnewAndThenCounts() {
        start(3);
        ensemble.crash(3);
        ensemble.world().loseDisk(3);
        ensemble.restart(3);
        ensemble.await("3 votes again", () -> isVoter(3));
        ensemble.crash(1);
        ensemble.awaitAnswered(ensemble.write(2, "2 and 3 are a quorum"));
    }

    @Test
    public void checkpointsAndCutLogs_restartGoesOnFromThem() {
        start(3);
        for (int round = 0; round < 4; round++) {
            ensemble.awaitAnswered(ensemble.write(1 + round % 3, "round " + round));
            ids(3).forEach(ensemble.world()::checkpoint);
        }
        ids(3).forEach(ensemble::crash);
        ensemble.start(ids(3));
        ensemble.awaitAnswered(ensemble.write(2, "after the restart"));
        ensemble.assertAllEqual();
        assertEquals(6, ensemble.register(1).version());
    }

    @Test
    public void replicaIsBehindWhatLogsHold_installsAStateAndGoesOn() {
        start(3);
        ensemble.crash(3);
        for (int round = 0; round < 4; round++) {
            ensemble.awaitAnswered(ensemble.write(1, "round " + round));
            ensemble.world().checkpoint(1);
            ensemble.world().checkpoint(2);
        }
        ensemble.crash(1);
        ensemble.crash(2);
        ensemble.start(List.of(1, 2));
        ensemble.awaitAnswered(ensemble.write(1, "without 3"));
        ensemble.restart(3);
        if (factory.sharedDisks() == null) { // they keep what a member needs
            ensemble.await("3 asks for a state", () -> ensemble.world().needsState(3));
            ensemble.world().installState(3);
        }
        ClientOperation write = ensemble.write(3, "with 3");
        ensemble.awaitAnswered(write);
        assertEquals(7, write.outcome().version());
        ensemble.crash(1);
        ensemble.awaitAnswered(ensemble.write(2, "2 and 3"));
    }

    // ---------------------------------------------------------------- links

    @Test
    public void eachReplicaIsCutOff_theOthersGoOnAndItAnswersNothing() {
        start(3);
        if (factory.sharedDisks() != null) {
            linksAreCut_disksAreThere();
            return;
        }
        for (int alone : ids(3)) {
            List<Integer> others = ids(3).stream().filter(id -> id != alone).toList();
            ensemble.separate(List.of(alone), others);
            ClientOperation write = ensemble.write(alone, "alone " + alone);
            ClientOperation read = ensemble.read(alone);
            List<ClientOperation> elsewhere = new ArrayList<>();
            others.forEach(id -> elsewhere.add(ensemble.write(id, "without " + alone + " at " + id)));
            ensemble.awaitAnswered(elsewhere);
            ensemble.assertNeverAnswered(write, read);
            ensemble.heal();
            ensemble.awaitAnswered(write, read);
            ensemble.assertAllEqual();
        }
    }

    /** Nobody fights over the lead while its heartbeat moves on the disks, and everybody reads by them. */
    private void linksAreCut_disksAreThere() {
        for (int alone : ids(3)) {
            int leader = leader();
            ensemble.separate(
                    List.of(alone), ids(3).stream().filter(id -> id != alone).toList());
            ensemble.awaitAnswered(ensemble.write(leader, "without " + alone));
            ids(3).forEach(id -> ensemble.awaitAnswered(ensemble.read(id)));
            ClientOperation write = ensemble.write(alone, "alone " + alone);
            ensemble.pass(100);
            assertEquals(leader, leader());
            ensemble.heal();
            ensemble.awaitAnswered(write);
            ensemble.assertAllEqual();
        }
    }

    @Test
    public void linksBreakInTheMiddleOfEverything_nothingIsLostOrDoubled() {
        start(3);
        List<ClientOperation> writes = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            writes.add(ensemble.write(1 + i % 3, "v" + i));
            int one = 1 + i % 3;
            int other = 1 + (i + 1) % 3;
            ensemble.world().deliver(new Link(one, other), 1 + i % 2);
            if (i % 5 == 4) {
                ensemble.relink(one, other);
            }
            if (i % 7 == 6) {
                ensemble.pass(1);
            }
        }
        ensemble.awaitAnswered(writes);
        ensemble.assertAllEqual();
        assertEquals(61, ensemble.register(1).version());
    }

    @Test
    public void oneLinkIsBrokenForGood_allAreAnswered() {
        start(3);
        for (int one : ids(3)) {
            int other = 1 + one % 3;
            ensemble.separate(List.of(one), List.of(other));
            ensemble.pass(200);
            int third = 6 - one - other;
            ensemble.awaitAnswered(ensemble.write(third, "beside the broken link"), ensemble.read(third));
            ensemble.heal();
            ensemble.awaitAnswered(ensemble.write(one, "healed"), ensemble.write(other, "healed too"));
        }
    }

    // ---------------------------------------------------------------- members

    @Test
    public void growsFrom3To5_thenNeedsThree_thenShrinks() {
        ensemble = new ManualEnsemble(factory, 5, Ensemble.of(ids(3)));
        ensemble.start(ids(3));
        ensemble.awaitAnswered(ensemble.write(1, "three"));
        configure(1, 2, 3, 4, 5);
        ensemble.start(List.of(4, 5));
        ensemble.await("4 and 5 vote", () -> isVoter(4) && isVoter(5));
        for (int id : List.of(3, 4, 5)) {
            ensemble.crash(id);
        }
        ClientOperation write = ensemble.write(1, "two of five");
        assertAnsweredOnlyByDisks(write);
        ensemble.restart(5);
        ensemble.awaitAnswered(write);
        ensemble.restart(3);
        ensemble.restart(4);
        configure(1, 2, 5);
        ensemble.await("3 and 4 are members no more", () -> memberCount() == 3);
        ensemble.crash(3);
        ensemble.crash(4);
        ensemble.crash(5);
        ensemble.awaitAnswered(ensemble.write(2, "two of three"));
    }

    private int memberCount() {
        return ensemble.world().checker().membership().members().size();
    }

    @Test
    public void leaderIsRemovedAndComesBack_nobodyWaitsForIt() {
        start(3);
        int removed = leader();
        Integer[] others = ids(3).stream().filter(id -> id != removed).toArray(Integer[]::new);
        configure(others);
        ensemble.await("it is a member no more", () -> memberCount() == 2 && !isVoter(removed));
        List<ClientOperation> writes = new ArrayList<>();
        for (int id : others) {
            writes.add(ensemble.write(id, "without " + removed));
        }
        ensemble.awaitAnswered(writes);
        configure(1, 2, 3);
        ensemble.await("it votes again", () -> isVoter(removed) && memberCount() == 3);
        ensemble.awaitAnswered(ensemble.write(removed, "back"));
    }
}
