package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.AcceptorLogFiles;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.Assume;
import org.junit.Test;

/** Servers are killed, ended and stopped while clients at all servers write and read; for ensembles of any size. */
abstract class ServerFaults {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(3 * SUSPICION_TIMEOUT_MILLIS);
    private static final Duration OVERLOAD = Duration.ofSeconds(12);
    private static final int MIN_SCHEDULING_PAUSE_MILLIS = 200;
    private static final int MAX_SCHEDULING_PAUSE_MILLIS = 1_000;

    private final Ensemble ensemble;

    ServerFaults(Ensemble ensemble) {
        this.ensemble = ensemble;
    }

    /** Returns an ensemble as these tests need it. */
    static Ensemble ensembleOf(int servers) {
        return Ensemble.named("server-faults-of-" + servers)
                .servers(servers)
                .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
                .build();
    }

    @Test
    public void serverOfEachRoleIsKilledAndRestarted_theOthersGoOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 30)) {
            for (int position : ensemble.headMiddleAndTail()) {
                ServerProcess victim = ensemble.chainFrom(ensemble.leader()).get(position);
                workload.during(ensemble.roleAt(position) + " killed", ensemble.behind(victim), victim::kill);
                victim.start();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    @Test
    public void minorityIsKilledAtOnceWithTheLeader_theOthersGoOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 31)) {
            List<ServerProcess> chain = ensemble.chainFrom(ensemble.leader());
            int minority = (chain.size() - 1) / 2;
            workload.during(minority + " killed at once", chain.subList(minority, chain.size()), () -> {
                for (ServerProcess victim : chain.subList(0, minority)) {
                    victim.kill();
                }
            });
            ensemble.startAll();
            workload.finish();
        }
    }

    /** The leader comes last, as an operator would do it. */
    @Test
    public void rollingRestart_theOthersGoOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 32)) {
            List<ServerProcess> chain = ensemble.chainFrom(ensemble.leader());
            for (int position = chain.size() - 1; position >= 0; position--) {
                ServerProcess server = chain.get(position);
                workload.during(server.mode() + " ended", ensemble.behind(server), server::terminate);
                server.start();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** As when the power fails. */
    @Test
    public void allServersAreKilledAtOnce_nothingAcknowledgedIsLost() throws Exception {
        try (Workload workload = new Workload(ensemble, 33)) {
            ensemble.killAll();
            ensemble.startAll();
            workload.finish();
        }
    }

    /** As after a power failure in the middle of a write. */
    @Test
    public void lastRecordOfAKilledServerIsTorn_itIsCutAndTheServerComesBack() throws Exception {
        Assume.assumeFalse("the stock server has no acceptor log", ensemble.isStock());
        try (Workload workload = new Workload(ensemble, 36)) {
            ServerProcess victim = ensemble.behind(ensemble.leader()).get(0);
            workload.during("middle killed and its log torn", ensemble.behind(victim), () -> {
                victim.kill();
                AcceptorLogFiles.of(victim).tearLastRecord();
            });
            victim.start();
            workload.awaitRecovered();
            workload.finish();
        }
    }

    @Test
    public void serverOfEachRoleStandsStill_theOthersGoOnAndNoReadIsStale() throws Exception {
        try (Workload workload = new Workload(ensemble, 34)) {
            for (int position : ensemble.headMiddleAndTail()) {
                ServerProcess victim = ensemble.chainFrom(ensemble.leader()).get(position);
                workload.during(ensemble.roleAt(position) + " stopped by SIGSTOP", ensemble.behind(victim), () -> {
                    victim.pause();
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                victim.resume();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** Now this server, now that one does not get the processor, as on a machine with too much to do. */
    @Test
    public void serversStandStillForAMomentOverAndOver_ensembleRecovers() throws Exception {
        Random random = new Random(35);
        try (Workload workload = new Workload(ensemble, 35)) {
            workload.duringForSome("short pauses of random servers", () -> {
                long end = System.nanoTime() + OVERLOAD.toNanos();
                while (System.nanoTime() < end) {
                    ServerProcess victim = ensemble.server(
                            1 + random.nextInt(ensemble.servers().size()));
                    victim.pause();
                    Await.pass(Duration.ofMillis(MIN_SCHEDULING_PAUSE_MILLIS
                            + random.nextInt(MAX_SCHEDULING_PAUSE_MILLIS - MIN_SCHEDULING_PAUSE_MILLIS)));
                    victim.resume();
                }
            });
            workload.finish();
        }
    }
}
