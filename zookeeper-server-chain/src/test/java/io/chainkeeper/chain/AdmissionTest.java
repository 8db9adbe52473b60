package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.chainkeeper.chain.ChainMessage.LearnerStatus;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** How often, and how far apart, a leader has to hear of a disk before it counts on it. */
public final class AdmissionTest {
    private static final int HEARTBEAT_TICKS = 4;
    private static final int SUSPICION_TICKS = 20;
    private static final long DISK = 11;
    private static final long OTHER_DISK = 12;

    /** Replica 1 leads alone; of 2, the joiner, there is only what a test says in its name. */
    private final ScriptedEnsemble ensemble = ScriptedEnsemble.started(
            1,
            Map.of(
                    "chain.heartbeatMillis", millis(HEARTBEAT_TICKS),
                    "chain.suspicionTimeoutMillis", millis(SUSPICION_TICKS)));

    private final ScriptedReplica leader = ensemble.replica(1);
    private final Ballot ballot = new Ballot(leader.status().epoch(), 1);

    public AdmissionTest() {
        ensemble.configure(Ensemble.of(List.of(1, 2)));
        leader.input(p -> p.onPeerUp(2));
        ensemble.settle();
    }

    private static String millis(int ticks) {
        return Integer.toString(ticks * ScriptedEnsemble.TICK_MILLIS);
    }

    private void say(long disk) {
        leader.input(p -> p.onMessage(2, new LearnerStatus(ballot, disk, 0)));
        ensemble.settle();
    }

    private void assertNobodyAdmitted() {
        assertNull("members", leader.membership);
    }

    private void assertAdmitted(long disk) {
        assertEquals(disk, leader.membership.find(2).disk());
    }

    @Test
    public void joinerHeardTwiceHalfAHeartbeatApart_isAdmitted() {
        say(DISK);
        assertNobodyAdmitted();
        ensemble.run(HEARTBEAT_TICKS / 2);
        assertNobodyAdmitted();
        say(DISK);
        assertAdmitted(DISK);
    }

    /** A link that had held up both brings them together. */
    @Test
    public void joinerHeardTwiceAtOnce_isNotAdmitted() {
        say(DISK);
        ensemble.run(HEARTBEAT_TICKS / 2 - 1);
        say(DISK);
        assertNobodyAdmitted();
        ensemble.run(HEARTBEAT_TICKS);
        assertNobodyAdmitted();
        say(DISK);
        assertAdmitted(DISK);
    }

    @Test
    public void joinerWithAnotherDisk_isHeardAnew() {
        say(DISK);
        ensemble.run(HEARTBEAT_TICKS);
        say(OTHER_DISK);
        assertNobodyAdmitted();
        ensemble.run(HEARTBEAT_TICKS);
        say(OTHER_DISK);
        assertAdmitted(OTHER_DISK);
    }

    @Test
    public void joinerWhoseLinkWasDown_isHeardAnew() {
        say(DISK);
        leader.input(p -> p.onPeerDown(2));
        leader.input(p -> p.onPeerUp(2));
        ensemble.run(HEARTBEAT_TICKS);
        say(DISK);
        assertNobodyAdmitted();
        ensemble.run(HEARTBEAT_TICKS);
        say(DISK);
        assertAdmitted(DISK);
    }

    /** A slow disk lets what it says go at longer intervals. */
    @Test
    public void joinerHeardSeldom_isAdmitted() {
        say(DISK);
        ensemble.run(SUSPICION_TICKS);
        say(DISK);
        assertAdmitted(DISK);
    }

    /** What it said before may be all that it said itself: the rest may have been held up since. */
    @Test
    public void joinerThatWasSilent_isHeardAnew() {
        say(DISK);
        ensemble.run(SUSPICION_TICKS + 1);
        say(DISK);
        assertNobodyAdmitted();
        ensemble.run(HEARTBEAT_TICKS);
        say(DISK);
        assertAdmitted(DISK);
    }
}
