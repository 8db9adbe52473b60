package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDevices;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** Servers that die and stand still, links and disks that are cut, several at a time; in the end all is well again. */
final class DiskChaos {
    private static final int STEPS = 40;
    private static final int MAX_PAUSE_MILLIS = 1_500;

    private final Ensemble ensemble;
    private final EnsembleDisks disks;
    private final LinkRelay links;
    private final Random random;
    private final Set<ServerProcess> stopped = new HashSet<>();

    DiskChaos(Ensemble ensemble, EnsembleDisks disks, LinkRelay links, long seed) {
        this.ensemble = ensemble;
        this.disks = disks;
        this.links = links;
        this.random = new Random(seed);
    }

    /** Returns when everything runs again. */
    void run() throws Exception {
        for (int step = 0; step < STEPS; step++) {
            ServerProcess server =
                    ensemble.server(1 + random.nextInt(ensemble.servers().size()));
            step(server, ensemble.behind(server).get(0));
            Await.pass(Duration.ofMillis(random.nextInt(MAX_PAUSE_MILLIS)));
        }
        for (ServerProcess server : Set.copyOf(stopped)) {
            resume(server);
        }
        links.healAll();
        if (disks instanceof EnsembleDevices devices) {
            devices.healAll();
        }
        ensemble.startAll();
    }

    private void step(ServerProcess server, ServerProcess other) throws Exception {
        int disk = 1 + random.nextInt(disks.numbers().size());
        switch (random.nextInt(8)) {
            case 0 -> end(server);
            case 1 -> stop(server);
            case 2 -> links.cut(server.id(), other.id());
            case 3 -> links.healAll();
            case 4, 5 -> cut(server, disk);
            case 6 -> heal(server, disk);
            default -> restore(server);
        }
    }

    private void end(ServerProcess server) throws Exception {
        if (server.isRunning()) {
            stopped.remove(server);
            server.kill();
        }
    }

    private void stop(ServerProcess server) throws Exception {
        if (server.isRunning() && stopped.add(server)) {
            server.pause();
        }
    }

    private void resume(ServerProcess server) throws Exception {
        stopped.remove(server);
        server.resume();
    }

    private void restore(ServerProcess server) throws Exception {
        if (stopped.contains(server)) {
            resume(server);
        } else if (!server.isRunning()) {
            server.start();
        }
    }

    private void cut(ServerProcess server, int disk) throws Exception {
        if (disks instanceof EnsembleDevices devices) {
            devices.cut(server.id(), disk);
        }
    }

    private void heal(ServerProcess server, int disk) throws Exception {
        if (disks instanceof EnsembleDevices devices) {
            devices.heal(server.id(), disk);
        }
    }
}
