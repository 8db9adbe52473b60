package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The links of one replica fail over and over, each time for less than the timeouts; for ensembles of any size. */
abstract class FlakyLinks {
    /** Long, so that only the links can make a replica miss its leader, not the machine. */
    private static final int SUSPICION_TIMEOUT_MILLIS = 4_000;

    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(3 * SUSPICION_TIMEOUT_MILLIS / 2);
    private static final Duration FLAPPING = Duration.ofSeconds(12);
    private static final Duration FLAP = Duration.ofMillis(300);
    private static final int MAX_BALLOT_ROUNDS = 10;

    private final Ensemble ensemble;
    private final LinkRelay links;

    FlakyLinks(Ensemble ensemble, LinkRelay links) {
        this.ensemble = ensemble;
        this.links = links;
    }

    /** Returns an ensemble as these tests need it, with these links. */
    static Ensemble ensembleOf(int servers, LinkRelay links) {
        return Ensemble.named("flaky-links-of-" + servers)
                .servers(servers)
                .network(links)
                .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
                .build();
    }

    @Test
    public void linksOfAFollowerFlap_leaderStaysAndTheOthersGoOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 14)) {
            ServerProcess leader = ensemble.leader();
            ServerProcess flaky = ensemble.behind(leader).get(0);
            List<Long> ballotRounds = ballotRounds();
            workload.during("links of follower " + flaky.id() + " flap", ensemble.behind(flaky), () -> flap(flaky));
            workload.awaitRecovered();
            assertEquals("leader", leader.modeOnce());
            assertEquals("rounds of the ballots", ballotRounds, ballotRounds());
            workload.finish();
        }
    }

    /** It may lose the leadership; then it is a flaky follower and deposes nobody. */
    @Test
    public void linksOfTheLeaderFlap_ensembleGoesOnAndSettles() throws Exception {
        try (Workload workload = new Workload(ensemble, 15)) {
            ServerProcess flaky = ensemble.leader();
            long before = highestRound();
            workload.during("links of the leader flap", ensemble.behind(flaky), () -> flap(flaky));
            workload.awaitRecovered();
            ServerProcess leader = ensemble.leader();
            long stable = highestRound();
            System.out.println("links of the leader flap: " + (stable - before) + " ballot rounds");
            workload.during("links are stable again", ensemble.servers(), () -> Await.pass(LONGER_THAN_TIMEOUTS));
            assertEquals("leader", leader.modeOnce());
            assertEquals("highest round of the ballots", stable, highestRound());
            assertTrue("ballot rounds while the links of the leader flapped", stable - before <= MAX_BALLOT_ROUNDS);
            workload.finish();
        }
    }

    /** Both ways in which a link fails: everything on it waits, and the connection breaks. */
    private void flap(ServerProcess flaky) throws Exception {
        long end = System.nanoTime() + FLAPPING.toNanos();
        while (System.nanoTime() < end) {
            for (ServerProcess other : ensemble.behind(flaky)) {
                links.cutBoth(flaky.id(), other.id());
                links.reset(flaky.id(), other.id());
            }
            Await.pass(FLAP);
            for (ServerProcess other : ensemble.behind(flaky)) {
                links.healBoth(flaky.id(), other.id());
            }
            Await.pass(FLAP);
        }
    }

    /**
     * Returns the round of each server's ballot; equal to what it was, nobody has tried to lead. Where every server
     * proposes, links that fail cost segments, and what stays is who lays down the epochs. Over shared disks a server
     * promises nothing, and its epoch is the highest round that it has seen or tried.
     */
    final List<Long> ballotRounds() throws Exception {
        String gauge = Ensemble.defaultProtocol().equals("chain") ? "ordering_ballot_round" : "ordering_epoch";
        List<Long> rounds = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            rounds.add(server.gauge(gauge));
        }
        return rounds;
    }

    private long highestRound() throws Exception {
        return ballotRounds().stream().mapToLong(Long::longValue).max().orElseThrow();
    }
}
