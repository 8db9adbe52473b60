package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.DiskFault;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.FaultyDisks;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.After;
import org.junit.Assume;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * Disks that hang, and disks that fail for one server while the other one reads and writes them, in each way of
 * {@link DiskFault}. Clients at both servers write and read meanwhile: nothing that was acknowledged is lost, no read
 * is stale, and all goes on by itself when the disks are back.
 */
public class DiskOutagesTest {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(3 * SUSPICION_TIMEOUT_MILLIS);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Well before a start gives up. */
    private static final Duration SOON = Duration.ofSeconds(30);

    /** Between two looks at what does not go on. */
    private static final Duration A_MOMENT = Duration.ofMillis(500);

    private static final List<Integer> ONE = List.of(2);
    private static final List<Integer> MAJORITY = List.of(1, 3);
    private static final EnsembleDisks disks = FaultyDisks.orFiles(3);
    private static final LinkRelay links = new LinkRelay(2);

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("disk-outages")
            .set("ordering.protocol", "disk")
            .servers(2)
            .disks(disks)
            .network(links)
            .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
            .memberSilenceMillis(3 * SUSPICION_TIMEOUT_MILLIS)
            .build();

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    private ServerProcess leader;
    private ServerProcess other;

    @Before
    public void findLeader() throws Exception {
        Assume.assumeFalse(
                "skipped: files neither fail nor hang", disks.faults().isEmpty());
        leader = ensemble.leader();
        other = other(leader);
    }

    @After
    public void heal() throws Exception {
        disks.healAll();
        links.healAll();
        ensemble.startAll();
    }

    private static ServerProcess other(ServerProcess server) {
        return ensemble.behind(server).get(0);
    }

    private static void cut(ServerProcess server, List<Integer> from, DiskFault fault) throws Exception {
        for (int disk : from) {
            disks.cut(server.id(), disk, fault);
        }
    }

    private static void cutFromBoth(List<Integer> which, DiskFault fault) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            cut(server, which, fault);
        }
    }

    private static void awaitDisksInUse(int count) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            awaitDisksInUse(server, count);
        }
    }

    private static void awaitDisksInUse(ServerProcess server, int count) throws Exception {
        Await.until(
                count + " disks in use at server " + server.id(),
                LIMIT,
                () -> server.gauge("ordering_disks_in_use") == count);
    }

    /** Waits until nothing is answered any more, and sees that this stays so. */
    private static void assertNothingIsAnswered(Workload workload) throws Exception {
        long[] answered = {-1};
        Await.until("no answers", LIMIT, () -> {
            Await.pass(A_MOMENT);
            long before = answered[0];
            answered[0] = workload.answered();
            return answered[0] == before;
        });
        Await.pass(LONGER_THAN_TIMEOUTS);
        assertEquals("answers that no majority of the disks is behind", answered[0], workload.answered());
    }

    @Test
    public void oneOfThreeDisksHangs_allGoesOn_andItIsTold() throws Exception {
        try (Workload workload = new Workload(ensemble, 100)) {
            workload.during("a disk hangs", ensemble.servers(), () -> {
                cutFromBoth(ONE, DiskFault.HANGS);
                awaitDisksInUse(2);
                for (ServerProcess server : ensemble.servers()) {
                    Await.until(
                            "server " + server.id() + " tells which",
                            LIMIT,
                            () -> server.gauge("2_ordering_shared_disk_failed") == 1);
                    assertEquals(0, server.gauge("1_ordering_shared_disk_failed"));
                    assertTrue(hasLogged(server, "Shared disk 2 is not used: it hangs"));
                }
            });
            assertEquals("leader", leader.modeOnce());
            workload.during("and the leader is killed", List.of(other), () -> {
                leader.signal("KILL");
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            disks.healAll();
            leader.awaitExit();
            awaitDisksInUse(other, 3);
            assertTrue(hasLogged(other, "Shared disk 2 answers again"));
            leader.start();
            workload.finish();
        }
    }

    private static boolean hasLogged(ServerProcess server, String text) throws Exception {
        return server.lastLogLines(Integer.MAX_VALUE).stream().anyMatch(line -> line.contains(text));
    }

    @Test
    public void twoOfThreeDisksHang_nothingIsAnsweredUntilTheyDo() throws Exception {
        try (Workload workload = new Workload(ensemble, 101)) {
            cutFromBoth(MAJORITY, DiskFault.HANGS);
            assertNothingIsAnswered(workload);
            disks.healAll();
            workload.awaitRecovered();
            // The leader stands still when the disks go on, and the other way round.
            ServerProcess stopped = ensemble.leader();
            cutFromBoth(MAJORITY, DiskFault.HANGS);
            assertNothingIsAnswered(workload);
            stopped.pause();
            workload.during("disks are back, and the leader stands still", List.of(other(stopped)), disks::healAll);
            cutFromBoth(MAJORITY, DiskFault.HANGS);
            stopped.resume();
            assertNothingIsAnswered(workload);
            disks.healAll();
            workload.finish();
        }
    }

    @Test
    public void majorityOfTheDisksIsLostToOneServer_theOtherGoesOn_whateverIsWrong() throws Exception {
        try (Workload workload = new Workload(ensemble, 102)) {
            for (DiskFault fault : disks.faults()) {
                for (boolean ofLeader : List.of(true, false)) {
                    ServerProcess leads = ensemble.leader();
                    ServerProcess victim = ofLeader ? leads : other(leads);
                    String what = "a majority of the disks of the " + (ofLeader ? "leader" : "follower") + " " + fault;
                    workload.during(what, List.of(other(victim)), () -> {
                        cut(victim, MAJORITY, fault);
                        Await.pass(LONGER_THAN_TIMEOUTS);
                    });
                    assertEquals("leader", other(victim).modeOnce());
                    disks.healAll();
                    workload.awaitRecovered();
                }
            }
            workload.finish();
        }
    }

    /** It sees on too few disks that the leader lives. */
    @Test
    public void followerLosesLinksAndDisks_theLeaderIsNotDisturbed() throws Exception {
        try (Workload workload = new Workload(ensemble, 103)) {
            long epoch = leader.gauge("ordering_epoch");
            for (DiskFault fault : disks.faults()) {
                workload.during("no links, a majority of the follower's disks " + fault, List.of(leader), () -> {
                    links.separate(List.of(leader), List.of(other));
                    cut(other, MAJORITY, fault);
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                assertEquals("leader", leader.modeOnce());
                disks.healAll();
                Await.pass(A_MOMENT);
                links.healAll();
                workload.awaitRecovered();
            }
            assertEquals("changes of leader", epoch, leader.gauge("ordering_epoch"));
            workload.finish();
        }
    }

    @Test
    public void leaderLosesLinksAndDisks_theOtherLeads() throws Exception {
        try (Workload workload = new Workload(ensemble, 104)) {
            for (DiskFault fault : List.of(DiskFault.HANGS, DiskFault.READS_FAIL)) {
                ServerProcess victim = ensemble.leader();
                workload.during("no links, the leader's disks " + fault, List.of(other(victim)), () -> {
                    links.separate(List.of(victim), List.of(other(victim)));
                    cut(victim, disks.numbers(), fault);
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                // It has nothing but its disks to learn from that another one leads.
                disks.healAll();
                Await.pass(LONGER_THAN_TIMEOUTS);
                assertEquals("leader", other(victim).modeOnce());
                links.healAll();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** What it has under way when it stands still happens long after another one has taken over. */
    @Test
    public void leaderStandsStillWhileItsDisksHang_itsLateWritesAreWorthNothing() throws Exception {
        try (Workload workload = new Workload(ensemble, 105)) {
            workload.during("the leader's disks hang, and it stands still", List.of(other), () -> {
                cut(leader, disks.numbers(), DiskFault.HANGS);
                leader.pause();
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            workload.during("its disks go on, and it stands still", List.of(other), disks::healAll);
            leader.resume();
            workload.awaitRecovered();
            ServerProcess next = ensemble.leader();
            workload.during("the leader stands still, and then its disks hang", List.of(other(next)), () -> {
                next.pause();
                cut(next, MAJORITY, DiskFault.HANGS);
                Await.pass(LONGER_THAN_TIMEOUTS);
                next.resume();
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            disks.healAll();
            workload.finish();
        }
    }

    @Test
    public void serversStartWhileADiskHangs_andServe() throws Exception {
        try (Workload workload = new Workload(ensemble, 106)) {
            other.kill();
            cutFromBoth(ONE, DiskFault.HANGS);
            other.start();
            workload.during("a server starts while a disk hangs", ensemble.servers(), other::awaitServing);
            assertTrue(hasLogged(other, "seen-by-servers/" + other.id() + "-2 has not answered for"));
            workload.during("the leader is killed while a disk hangs", List.of(other), () -> leader.signal("KILL"));
            disks.healAll();
            leader.awaitExit();
            leader.start();
            awaitDisksInUse(other, 3);
            workload.finish();
        }
    }

    /** It begins anew in its process with that state, and what it has asked of the disk before is still under way. */
    @Test
    public void serverFetchesAStateWhileADiskHangs_andServes() throws Exception {
        try (Workload workload = new Workload(ensemble, 108)) {
            other.kill();
            other.emptyData();
            cut(other, ONE, DiskFault.HANGS);
            other.start();
            workload.during("a state is fetched while a disk hangs", List.of(leader), other::awaitServing);
            assertTrue(hasLogged(other, "starts again from the state that it has fetched"));
            assertTrue(hasLogged(other, "has not answered what it was asked before this server began anew"));
            disks.healAll();
            awaitDisksInUse(other, 3);
            workload.finish();
        }
    }

    /** Long before it gives up, and once. */
    @Test
    public void serverStartsWhileAMajorityHangs_saysSo_andServesWhenItAnswers() throws Exception {
        String told = "2 have not answered for 3 s: " + disks.path(other.id(), 1) + ", " + disks.path(other.id(), 3);
        other.kill();
        cut(other, MAJORITY, DiskFault.HANGS);
        other.start();
        Await.until("it tells which disks", SOON, () -> hasLogged(other, told));
        disks.healAll();
        other.awaitServing();
        List<String> lines = other.lastLogLines(Integer.MAX_VALUE);
        assertEquals(1, lines.stream().filter(line -> line.contains(told)).count());
    }

    @Test
    public void diskHangs_inspectSaysWhichOne_andShowsTheOthers() throws Exception {
        cut(leader, ONE, DiskFault.HANGS);
        Path printed = leader.directory().resolve("inspection");
        Process inspection = Scripts.command(
                        leader.directory(),
                        "zkDisk.sh",
                        "inspect",
                        leader.configFile().toString())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        String hangs = disks.path(leader.id(), 2) + ":\n  UNUSABLE: it hangs, without an answer for 5 s";
        Await.until("which one hangs, and what is on the others", LIMIT, () -> {
            String text = Files.readString(printed);
            return text.contains("disk 1 of 3") && text.contains(hangs) && text.contains("disk 3 of 3");
        });
        disks.healAll();
        assertEquals(1, inspection.waitFor());
    }

    private static boolean isLocked(ServerProcess server) throws Exception {
        Path file = server.directory().resolve("data/ordering/log.lock");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        }
    }

    /**
     * It closes its ports, and ends when the disk has answered: until then its last write may still happen, and no
     * other process can take its directory.
     */
    @Test
    public void serverIsStoppedWhileADiskHangs_endsWhenItAnswers() throws Exception {
        try (Workload workload = new Workload(ensemble, 107)) {
            workload.during("the leader is stopped while a disk hangs", List.of(other), () -> {
                cut(leader, ONE, DiskFault.HANGS);
                awaitDisksInUse(leader, 2);
                leader.signal("TERM");
                Await.until("its port is closed", LIMIT, () -> leader.mode() == null);
                Await.until(
                        "it does not wait any more",
                        LIMIT,
                        () -> hasLogged(leader, "Shared disk 2 hangs: it is not used"));
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            assertTrue("it has a write under way", leader.isRunning());
            assertTrue("no other process can take its directory", isLocked(leader));
            assertNull("serves clients again", leader.mode());
            disks.healAll();
            assertNotEquals("killed by nobody", 128 + 9, leader.awaitExit());
            assertFalse(leader.isRunning());
            assertFalse(isLocked(leader));
            leader.start();
            workload.finish();
        }
    }
}
