package io.chainkeeper.clienttests.upgrade;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.OtherRelease;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Three servers of another release go to this one under load, one by one, and one of them back, and on again. The
 * other one is the release before, as it was; or one that does not know the newest feature level, which then rises.
 */
final class RollingUpgrade {
    private static final String DELAY = "ordering.featureLevelDelaySeconds";
    private static final String STORED = "0.2.0";
    private static final String LOWER = "0.1.9";
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final long PROGRESS = 60;
    private static final int LAST_LINES = 4;

    private final Ensemble ensemble;
    private final List<Integer> order;
    private final Path former;

    private RollingUpgrade(Ensemble ensemble, List<Integer> order, Path former) {
        this.ensemble = ensemble;
        this.order = order;
        this.former = former;
    }

    /**
     * From the release before.
     *
     * @param ensemble not started
     * @param order ids of the servers, as they are upgraded
     */
    static void fromTheReleaseBefore(Ensemble ensemble, List<Integer> order) throws Exception {
        new RollingUpgrade(ensemble, order, OtherRelease.stored(STORED)).run(2, false);
    }

    /**
     * From a release that does not know the newest feature level.
     *
     * @param ensemble not started
     * @param order ids of the servers, as they are upgraded
     */
    static void fromALowerLevel(Ensemble ensemble, List<Integer> order) throws Exception {
        RollingUpgrade upgrade = new RollingUpgrade(ensemble, order, OtherRelease.jars(LOWER, 1, 1));
        upgrade.run(1, true);
        upgrade.assertGoingBackIsRefused(ensemble.server(order.get(0)));
    }

    /** An ensemble whose level does not rise before the test wants that. */
    static Ensemble ensemble(String name, String protocol) {
        return Ensemble.named(name)
                .set("ordering.protocol", protocol)
                .set(DELAY, "6000000")
                .build();
    }

    private void run(int level, boolean rises) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            server.libraries(former);
        }
        ensemble.start();
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            long began = System.nanoTime();
            load.start();
            load.awaitProgress(PROGRESS);
            upgradeAll(load);
            assertLevels("nobody has raised it", level);
            ServerProcess back = ensemble.server(order.get(1));
            restart(back, former, load, true);
            assertLevels("a server was back at the former release", level);
            restart(back, null, load, false);
            if (rises) {
                raise(load);
            }
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            System.out.println("Upgrade in the order " + order + ": " + load.writes() + ", longest gap "
                    + load.longestGap(ensemble.servers(), began, System.nanoTime())
                            .toMillis() + " ms");
        }
    }

    /** Every second one is killed instead of stopped; while releases are mixed another one is killed, too. */
    private void upgradeAll(LoadGenerator load) throws Exception {
        boolean kill = false;
        for (int id : order) {
            restart(ensemble.server(id), null, load, kill);
            kill = !kill;
            ServerProcess other = ensemble.server(order.get(2));
            if (id == order.get(0)) {
                other.kill();
                load.awaitProgress(PROGRESS);
                other.start();
                other.awaitServing();
                load.awaitProgress(PROGRESS);
            }
        }
    }

    private static void restart(ServerProcess server, Path jars, LoadGenerator load, boolean kill) throws Exception {
        if (kill) {
            server.kill();
        } else {
            server.terminate();
        }
        load.awaitProgress(PROGRESS);
        server.libraries(jars);
        server.start();
        server.awaitServing();
        load.awaitProgress(PROGRESS);
    }

    private void raise(LoadGenerator load) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            server.configure(Map.of(DELAY, "0"));
            restart(server, null, load, false);
        }
        Await.until("the feature level has risen everywhere", LIMIT, () -> levels().equals(List.of(2, 2, 2)));
        load.awaitProgress(PROGRESS);
    }

    private void assertLevels(String why, int level) throws Exception {
        assertEquals(why, List.of(level, level, level), levels());
    }

    private List<Integer> levels() throws Exception {
        return ensemble.servers().stream().map(RollingUpgrade::level).toList();
    }

    private static int level(ServerProcess server) {
        Path identity = server.directory().resolve("data/ordering/identity");
        try {
            return Files.readAllLines(identity).stream()
                    .filter(line -> line.startsWith("featureLevel="))
                    .mapToInt(line -> Integer.parseInt(line.substring(line.indexOf('=') + 1)))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertGoingBackIsRefused(ServerProcess server) throws Exception {
        server.terminate();
        server.libraries(former);
        server.start();
        assertNotEquals("exit code", 0, server.awaitExit());
        String said = server.lastLogLines(LAST_LINES).toString();
        assertTrue(
                said,
                said.contains("feature level 2 is in force, but release " + LOWER
                        + " knows feature level 1 only: start release 0.2.0 or later. Nothing was changed"));
        server.libraries(null);
        server.start();
        server.awaitServing();
    }
}
