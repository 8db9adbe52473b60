package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Combinations.DrawnWith;
import io.chainkeeper.clienttests.harness.DiskFault;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.After;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * What one server and a majority of the shared disks have to outlive, while clients at all servers write and read:
 * nothing that was acknowledged is lost, and no read is stale. Stories in which no disk fails are drawn with one number
 * of servers each ({@link Combinations}).
 */
abstract class DiskFaults {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(3 * SUSPICION_TIMEOUT_MILLIS);

    /** Of a client whose session ends while its server stands still. */
    private static final int SHORT_SESSION_MILLIS = 2_000;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration SHORT_STOPS = Duration.ofSeconds(20);
    private static final int MAX_SHORT_STOP_MILLIS = 60;
    private static final int KILLS = 6;

    @Rule(order = -2)
    public final TestRule drawn;

    private final Ensemble ensemble;
    private final EnsembleDisks disks;
    private final LinkRelay links;

    DiskFaults(Ensemble ensemble, EnsembleDisks disks, LinkRelay links) {
        this.ensemble = ensemble;
        this.disks = disks;
        this.links = links;
        this.drawn = Combinations.drawn(Integer.toString(ensemble.servers().size()), List.of("2", "3"));
    }

    /** Returns an ensemble as these tests need it, with these disks and links. */
    static Ensemble ensembleOf(int servers, EnsembleDisks disks, LinkRelay links) {
        return Ensemble.named("disk-faults-of-" + servers)
                .set("ordering.protocol", "disk")
                .servers(servers)
                .disks(disks)
                .network(links)
                .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
                .memberSilenceMillis(3 * SUSPICION_TIMEOUT_MILLIS)
                .build();
    }

    /** So that one that failed in the middle leaves nothing cut. */
    @After
    public void heal() throws Exception {
        links.healAll();
        disks.healAll();
    }

    private void assumeDisksCanBeCut() {
        Assume.assumeTrue("skipped: files cannot be cut", disks.faults().contains(DiskFault.WRITES_FAIL));
    }

    /** Every second disk can be read all the same. */
    private void cut(ServerProcess server, List<Integer> from) throws Exception {
        for (int disk : from) {
            boolean isRead = disk % 2 == 1 || !disks.faults().contains(DiskFault.ALL_FAIL);
            disks.cut(server.id(), disk, isRead ? DiskFault.WRITES_FAIL : DiskFault.ALL_FAIL);
        }
    }

    private List<ServerProcess> others(ServerProcess server) {
        return ensemble.behind(server);
    }

    /** The minority of the disks, the first ones. */
    private List<Integer> minority() {
        return disks.numbers().subList(0, disks.numbers().size() / 2);
    }

    private List<Integer> majority() {
        return disks.numbers().subList(0, disks.numbers().size() / 2 + 1);
    }

    @Test
    @DrawnWith("2")
    public void leaderAndOthersAreKilledInTurn_theOthersGoOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 80)) {
            for (int kill = 0; kill < KILLS; kill++) {
                ServerProcess leader = ensemble.leader();
                ServerProcess victim = kill % 2 == 0 ? leader : others(leader).get(0);
                workload.during(victim == leader ? "leader killed" : "other killed", others(victim), victim::kill);
                victim.start();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** Each starts when no other is there: all that it can know is on the disks. */
    @Test
    @DrawnWith("3")
    public void serversRunOneAtATime_eachKnowsWhatTheOneBeforeAcknowledged() throws Exception {
        try (Workload workload = new Workload(ensemble, 81)) {
            for (ServerProcess last : ensemble.servers()) {
                ensemble.killAll();
                last.start();
                last.awaitServing();
                workload.during("server " + last.id() + " alone", List.of(last), () -> {
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                last.kill();
                last.start();
                last.awaitServing();
                workload.during("server " + last.id() + " alone once more", List.of(last), () -> {});
            }
            ensemble.startAll();
            workload.finish();
        }
    }

    /** Too short for a timeout: what it was about to do, it does, wherever in a write or a read it stood. */
    @Test
    @DrawnWith("2")
    public void leaderStandsStillForMomentsOverAndOver_nothingIsLost() throws Exception {
        Random random = new Random(82);
        try (Workload workload = new Workload(ensemble, 82)) {
            workload.duringForSome("short stops of the leader", () -> {
                long end = System.nanoTime() + SHORT_STOPS.toNanos();
                ServerProcess leader = ensemble.leader();
                while (System.nanoTime() < end) {
                    leader.pause();
                    Await.pass(Duration.ofMillis(1 + random.nextInt(MAX_SHORT_STOP_MILLIS)));
                    leader.resume();
                    Await.pass(Duration.ofMillis(random.nextInt(MAX_SHORT_STOP_MILLIS)));
                }
            });
            workload.finish();
        }
    }

    /** It wakes up behind another leader, with what it had under way. */
    @Test
    @DrawnWith("3")
    public void leaderStandsStillAgainAndAgain_theOthersTakeOver() throws Exception {
        try (Workload workload = new Workload(ensemble, 83)) {
            for (int stop = 0; stop < KILLS; stop++) {
                ServerProcess leader = ensemble.leader();
                workload.during("leader stopped by SIGSTOP", others(leader), () -> {
                    leader.pause();
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                leader.resume();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** What it reads when it wakes up tells that the session of its client is over. */
    @Test
    @DrawnWith("2")
    public void leaderStandsStillForLongerThanSessions_readsNothingStaleWhenItWakesUp() throws Exception {
        try (Workload workload = new Workload(ensemble, 84)) {
            ServerProcess leader = ensemble.leader();
            ServerProcess other = others(leader).get(0);
            try (ZooKeeper owner = Clients.connect(leader.connectString(), SHORT_SESSION_MILLIS);
                    ZooKeeper reader = Clients.connect(leader.connectString());
                    ZooKeeper witness = Clients.connect(other.connectString())) {
                owner.create("/owned", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                workload.during("leader stopped for longer than a session", others(leader), () -> {
                    leader.pause();
                    Await.until("the session ends", LIMIT, () -> isGone(witness, "/owned"));
                });
                leader.resume();
                assertNull("read at the server that stood still", firstAnswer(reader, "/owned"));
            }
            workload.awaitRecovered();
            workload.finish();
        }
    }

    /** While nobody leads, a server ends connections. */
    private static boolean isGone(ZooKeeper client, String path) throws Exception {
        try {
            return client.exists(path, false) == null;
        } catch (KeeperException.ConnectionLossException e) {
            return false;
        }
    }

    /** A server that has lost its leader ends connections; whatever it answers behind that counts. */
    private static Stat firstAnswer(ZooKeeper client, String path) throws Exception {
        Stat[] answer = new Stat[1];
        Await.until("a read is answered", LIMIT, () -> {
            try {
                answer[0] = client.exists(path, false);
                return true;
            } catch (KeeperException.ConnectionLossException e) {
                return false;
            }
        });
        return answer[0];
    }

    /** The heartbeat on the disks tells that the leader is there: nobody takes over, unless it dies. */
    @Test
    @DrawnWith("3")
    public void linksAreCut_theLeaderGoesOn_andAnotherOneWithoutItsHelp() throws Exception {
        try (Workload workload = new Workload(ensemble, 85)) {
            ServerProcess leader = ensemble.leader();
            workload.during("links of the leader cut", List.of(leader), () -> {
                links.separate(List.of(leader), others(leader));
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            assertEquals("leader", leader.modeOnce());
            workload.during("leader killed behind cut links", others(leader), leader::kill);
            links.healAll();
            leader.start();
            workload.awaitRecovered();
            for (ServerProcess from : ensemble.servers()) {
                ServerProcess to = others(from).get(0);
                workload.duringForSome("link cut in one direction", () -> {
                    links.cut(from.id(), to.id());
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                links.healAll();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    @Test
    public void minorityOfTheDisksIsLostToEachServer_allGoOn() throws Exception {
        assumeDisksCanBeCut();
        try (Workload workload = new Workload(ensemble, 86)) {
            workload.during("the same disks cut from all", ensemble.servers(), () -> {
                for (ServerProcess server : ensemble.servers()) {
                    cut(server, minority());
                }
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            disks.healAll();
            workload.awaitRecovered();
            workload.during("another disk cut from each", ensemble.servers(), () -> {
                for (ServerProcess server : ensemble.servers()) {
                    cut(server, List.of(server.id()));
                }
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            ServerProcess leader = ensemble.leader();
            workload.during("and the leader killed", others(leader), leader::kill);
            disks.healAll();
            leader.start();
            workload.finish();
        }
    }

    @Test
    public void majorityOfTheDisksIsLostToTheLeader_anotherOneLeads() throws Exception {
        assumeDisksCanBeCut();
        try (Workload workload = new Workload(ensemble, 87)) {
            ServerProcess leader = ensemble.leader();
            workload.during("a majority of the disks cut from the leader", others(leader), () -> {
                cut(leader, majority());
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            disks.healAll();
            workload.awaitRecovered();
            workload.duringForSome("a majority of the disks cut from all, and given back", () -> {
                for (ServerProcess server : ensemble.servers()) {
                    cut(server, majority());
                }
                Await.pass(LONGER_THAN_TIMEOUTS);
                disks.healAll();
            });
            workload.finish();
        }
    }

    @Test
    public void linksAndDisksAreCut_thoseWithDisksGoOn() throws Exception {
        assumeDisksCanBeCut();
        try (Workload workload = new Workload(ensemble, 88)) {
            ServerProcess leader = ensemble.leader();
            workload.during("leader without links and disks", others(leader), () -> {
                links.separate(List.of(leader), others(leader));
                cut(leader, disks.numbers());
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            links.healAll();
            Await.pass(LONGER_THAN_TIMEOUTS);
            disks.healAll();
            workload.awaitRecovered();
            workload.finish();
        }
    }

    /** Also what a user sees of disks that have been through all that. */
    @Test
    @DrawnWith("3")
    public void anythingInAnyOrder_nothingIsLost_andTheDisksAreWhole() throws Exception {
        try (Workload workload = new Workload(ensemble, 89)) {
            new DiskChaos(ensemble, disks, links, 89).run();
            workload.finish();
        }
        Scripts.Result inspection = disks.tool(ensemble.server(1), "inspect");
        assertEquals(inspection.toString(), 0, inspection.exitCode());
    }
}
