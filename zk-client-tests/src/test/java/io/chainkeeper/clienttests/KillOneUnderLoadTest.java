package io.chainkeeper.clienttests;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.RegisterWorkload;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** One replica at a time goes and comes back while clients at all replicas write and read. */
public class KillOneUnderLoadTest {
    private static final int REGISTER_OPERATIONS_PER_SECOND = 50;
    private static final int WRITES_BETWEEN_FAULTS = 500;
    private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble = Ensemble.named("kill-one").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    /** A way to end a server. */
    private interface Ending {
        void end(ServerProcess server) throws Exception;
    }

    @Test
    public void replicaOfEachRoleIsKilledAndRestarted_nothingAcknowledgedIsLost() throws Exception {
        endEachInTurn(ServerProcess::kill);
    }

    @Test
    public void rollingRestart_nothingAcknowledgedIsLost() throws Exception {
        endEachInTurn(ServerProcess::terminate);
    }

    private void endEachInTurn(Ending ending) throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble);
                RegisterWorkload registers = new RegisterWorkload(ensemble, REGISTER_OPERATIONS_PER_SECOND, 2)) {
            load.start();
            registers.start();
            for (ServerProcess server : leaderFirst()) {
                load.awaitProgress(WRITES_BETWEEN_FAULTS);
                ending.end(server);
                load.awaitProgress(WRITES_BETWEEN_FAULTS);
                server.start();
                server.awaitServing();
                awaitCaughtUp(server);
            }
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            load.stop();
            registers.stop();
            assertEquals(
                    "sessions that expired although their servers came back",
                    0,
                    load.writes().expiredSessionCount());
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            registers.checkLinearizable();
        }
    }

    /** The leader, then the others as they were then: each role of the protocol is hit. */
    private List<ServerProcess> leaderFirst() throws Exception {
        ServerProcess leader = ensemble.leader();
        List<ServerProcess> order = new ArrayList<>(List.of(leader));
        ensemble.servers().stream().filter(server -> server != leader).forEach(order::add);
        return order;
    }

    private void awaitCaughtUp(ServerProcess restarted) throws Exception {
        long goal =
                ensemble.servers().stream().mapToLong(ServerProcess::zxid).max().orElseThrow();
        Await.until(
                "server " + restarted.id() + " reaches zxid 0x" + Long.toHexString(goal),
                CATCH_UP_LIMIT,
                () -> restarted.zxid() >= goal);
    }
}
