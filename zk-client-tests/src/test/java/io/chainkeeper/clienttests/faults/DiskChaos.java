package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.DiskFault;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Servers that die and stand still, links that are cut, disks that fail and hang, several at a time and in an order
 * that the seed draws; in the end all is well again. Prints seed and steps; {@code -Ddisk.chaos.seed} gives another
 * seed.
 */
final class DiskChaos {
    private static final int STEPS = 40;
    private static final int MAX_PAUSE_MILLIS = 1_500;
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final Ensemble ensemble;
    private final EnsembleDisks disks;
    private final LinkRelay links;
    private final Random random;
    private final List<DiskFault> faults;
    private final Set<ServerProcess> stopped = new HashSet<>();

    /** Server and disk. */
    private final Set<List<Integer>> hanging = new HashSet<>();

    DiskChaos(Ensemble ensemble, EnsembleDisks disks, LinkRelay links, long seed) {
        this.ensemble = ensemble;
        this.disks = disks;
        this.links = links;
        long drawn = Long.getLong("disk.chaos.seed", seed);
        this.random = new Random(drawn);
        this.faults = List.copyOf(disks.faults());
        System.out.println("disk chaos, seed " + drawn + ", faults of disks " + faults);
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
        disks.healAll();
        for (ServerProcess server : ensemble.servers()) {
            // One that found too few disks when it started is about to end.
            Await.until(
                    "server " + server.id() + " serves or has ended",
                    LIMIT,
                    () -> !server.isRunning() || server.mode() != null);
        }
        ensemble.startAll();
    }

    private void step(ServerProcess server, ServerProcess other) throws Exception {
        int disk = 1 + random.nextInt(disks.numbers().size());
        switch (random.nextInt(8)) {
            case 0 -> end(server);
            case 1 -> stop(server);
            case 2 -> cutLink(server, other);
            case 3 -> healLinks();
            case 4, 5 -> cut(server, disk);
            case 6 -> heal(server, disk);
            default -> restore(server);
        }
    }

    private static void print(String step) {
        System.out.println("disk chaos: " + step);
    }

    /** What it had under way at a disk that hangs happens behind its end. */
    private void end(ServerProcess server) throws Exception {
        if (server.isRunning()) {
            print("server " + server.id() + " killed");
            stopped.remove(server);
            server.signal("KILL");
            for (int disk : disks.numbers()) {
                if (hanging.contains(List.of(server.id(), disk))) {
                    heal(server, disk);
                }
            }
            server.awaitExit();
        }
    }

    private void cutLink(ServerProcess server, ServerProcess other) throws Exception {
        print("link from server " + server.id() + " to server " + other.id() + " cut");
        links.cut(server.id(), other.id());
    }

    private void healLinks() throws Exception {
        print("all links healed");
        links.healAll();
    }

    private void stop(ServerProcess server) throws Exception {
        if (server.isRunning() && stopped.add(server)) {
            print("server " + server.id() + " stopped by SIGSTOP");
            server.pause();
        }
    }

    private void resume(ServerProcess server) throws Exception {
        print("server " + server.id() + " goes on");
        stopped.remove(server);
        server.resume();
    }

    private void restore(ServerProcess server) throws Exception {
        if (stopped.contains(server)) {
            resume(server);
        } else if (!server.isRunning()) {
            print("server " + server.id() + " started");
            server.start();
        }
    }

    private void cut(ServerProcess server, int disk) throws Exception {
        if (!faults.isEmpty()) {
            DiskFault fault = faults.get(random.nextInt(faults.size()));
            print("disk " + disk + " of server " + server.id() + ": " + fault);
            disks.cut(server.id(), disk, fault);
            List<Integer> which = List.of(server.id(), disk);
            if (fault == DiskFault.HANGS) {
                hanging.add(which);
            } else {
                hanging.remove(which);
            }
        }
    }

    private void heal(ServerProcess server, int disk) throws Exception {
        print("disk " + disk + " of server " + server.id() + " healed");
        disks.heal(server.id(), disk);
        hanging.remove(List.of(server.id(), disk));
    }
}
