package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** How often, and how far apart, a coordinator has to hear of a disk before it counts on it. */
public final class AdmissionTest {
    private static final IssSettings SETTINGS = new IssSettings(Map.of(), 3, IssNode.TICK_MILLIS);
    private static final int HALF_A_HEARTBEAT_TICKS = (SETTINGS.heartbeatTicks() + 1) / 2;
    private static final int IN_VAIN_TICKS = SETTINGS.suspicionTicks();
    private static final int JOINER = 3;
    private static final long DISK = 101;
    private static final long OTHER_DISK = 102;

    /** Of replica 3, which came back without its disk, there is only what a test says in its name. */
    private final IssEnsemble ensemble = IssEnsemble.of(3);

    public AdmissionTest() {
        ensemble.ticks(SETTINGS.suspicionTicks());
        ensemble.crash(JOINER);
        ensemble.node(JOINER).loseDisk();
        up();
    }

    private void up() {
        ensemble.node(1).input(p -> p.onPeerUp(JOINER));
        ensemble.node(2).input(p -> p.onPeerUp(JOINER));
        ensemble.settle();
    }

    private void down() {
        ensemble.node(1).input(p -> p.onPeerDown(JOINER));
        ensemble.node(2).input(p -> p.onPeerDown(JOINER));
        ensemble.settle();
    }

    private void say(long disk) {
        for (int id = 1; id <= 2; id++) {
            long epoch = ensemble.node(id).gauge("epoch");
            long delivered = ensemble.node(id).delivered().size();
            Prefix all = new Prefix(delivered, 0);
            ensemble.node(id)
                    .receive(JOINER, new Status(epoch, all, delivered, 0, 0, disk, false, false, false, false));
        }
        ensemble.settle();
    }

    private List<String> admissions() {
        return ensemble.commandsAt(1).stream()
                .filter(word -> word.startsWith("members "))
                .toList();
    }

    private void assertNobodyAdmitted() {
        ensemble.ticks(IN_VAIN_TICKS);
        assertEquals(List.of(), admissions());
    }

    private void assertAdmitted(long disk) {
        ensemble.ticks(IN_VAIN_TICKS);
        List<String> admissions = admissions();
        assertEquals(admissions.toString(), 1, admissions.size());
        assertTrue(admissions.get(0), admissions.get(0).contains(JOINER + "@" + disk));
    }

    @Test
    public void joinerHeardTwiceHalfAHeartbeatApart_isAdmitted() {
        say(DISK);
        ensemble.ticks(HALF_A_HEARTBEAT_TICKS);
        say(DISK);
        assertAdmitted(DISK);
    }

    /** A link that had held up both brings them together. */
    @Test
    public void joinerHeardTwiceAtOnce_isNotAdmitted() {
        say(DISK);
        ensemble.ticks(HALF_A_HEARTBEAT_TICKS - 1);
        say(DISK);
        assertNobodyAdmitted();
    }

    @Test
    public void joinerWithAnotherDisk_isHeardAnew() {
        say(DISK);
        ensemble.ticks(HALF_A_HEARTBEAT_TICKS);
        say(OTHER_DISK);
        assertNobodyAdmitted();
        say(OTHER_DISK);
        assertAdmitted(OTHER_DISK);
    }

    @Test
    public void joinerWhoseLinkWasDown_isHeardAnew() {
        say(DISK);
        down();
        up();
        ensemble.ticks(HALF_A_HEARTBEAT_TICKS);
        say(DISK);
        assertNobodyAdmitted();
        say(DISK);
        assertAdmitted(DISK);
    }
}
