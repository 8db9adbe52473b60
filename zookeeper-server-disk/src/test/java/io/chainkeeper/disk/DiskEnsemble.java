package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Servers with links and shared disks, all in one thread; judges that all deliver one order. */
final class DiskEnsemble {
    /** A small ring, so that it goes round. */
    static final DiskLayout LAYOUT = new DiskLayout(3, DiskLayout.MIN_REGION_BYTES);

    /** In ticks: longer than a leader may be silent, and all may wait before they try. */
    static final int LONG = 100;

    private final OrderingProtocolFactory factory;
    private final SimulatedDisks disks;
    private final List<DiskNode> nodes = new ArrayList<>();
    private final Map<String, String> settings;
    private final Ensemble configured;
    private final SplittableRandom random;
    private final long seed;
    private final Map<Integer, ArrayDeque<Message>> links = new TreeMap<>();
    private final boolean[][] linkUp;
    private final List<ByteSlice> order = new ArrayList<>();
    private int withoutState;

    DiskEnsemble(OrderingProtocolFactory factory, int servers, int diskCount, long seed) {
        this.factory = factory;
        this.disks = new SimulatedDisks(diskCount, LAYOUT);
        this.random = new SplittableRandom(seed);
        this.seed = seed;
        this.linkUp = new boolean[servers + 1][servers + 1];
        this.configured = Ensemble.of(IntStream.rangeClosed(1, servers).boxed().toList());
        String[] paths = new String[diskCount];
        Arrays.setAll(paths, i -> "disk" + i);
        this.settings = Map.of(
                "disk.paths",
                String.join(",", paths),
                "disk.slots",
                Integer.toString(LAYOUT.slots()),
                "disk.regionBytes",
                Integer.toString(LAYOUT.regionBytes()),
                "disk.maxBatchBytes",
                "4096",
                "disk.heartbeatMillis",
                "50",
                "disk.suspicionTimeoutMillis",
                "400");
        for (int id = 1; id <= servers; id++) {
            nodes.add(new DiskNode(id, this, disks));
        }
    }

    DiskNode node(int id) {
        return nodes.get(id - 1);
    }

    SimulatedDisks disks() {
        return disks;
    }

    SplittableRandom random() {
        return random;
    }

    List<ByteSlice> order() {
        return order;
    }

    void start(int id) {
        node(id).start(factory, settings, configured, seed);
    }

    /** Starts a server whose file names these participants. */
    void start(int id, List<Integer> participants) {
        node(id).start(factory, settings, Ensemble.of(participants), seed);
    }

    void startAll() {
        nodes.forEach(node -> start(node.id()));
        linkAll();
    }

    void linkAll() {
        for (DiskNode a : nodes) {
            for (DiskNode b : nodes) {
                if (a.id() < b.id()) {
                    link(a.id(), b.id(), true);
                }
            }
        }
    }

    /** A link comes up or goes down; both ends hear of it, and what was on it is lost. */
    void link(int a, int b, boolean up) {
        boolean may = node(a).isRunning() && node(b).isRunning();
        if (linkUp[a][b] == up || up && !may) {
            return;
        }
        linkUp[a][b] = up;
        linkUp[b][a] = up;
        link(a, b).clear();
        link(b, a).clear();
        for (int[] ends : new int[][] {{a, b}, {b, a}}) {
            if (node(ends[0]).isRunning()) {
                node(ends[0]).input(up ? p -> p.onPeerUp(ends[1]) : p -> p.onPeerDown(ends[1]));
            }
        }
    }

    private ArrayDeque<Message> link(int from, int to) {
        return links.computeIfAbsent(from * 100 + to, key -> new ArrayDeque<>());
    }

    void sent(int from, int to, Message message) {
        if (linkUp[from][to]) {
            link(from, to).add(message);
        }
    }

    boolean passMessage(int from, int to) {
        Message message = link(from, to).poll();
        if (message != null && node(to).isRunning()) {
            node(to).input(p -> p.onMessage(from, message));
        }
        return message != null;
    }

    void delivered(int id, long position, ByteSlice value) {
        if (position <= order.size()) {
            ByteSlice other = order.get((int) position - 1);
            if (!other.equals(value)) {
                throw new AssertionError("server " + id + " delivers another value at position " + position);
            }
        } else {
            order.add(value);
        }
    }

    void crash(int id) {
        for (DiskNode other : nodes) {
            link(Math.min(id, other.id()), Math.max(id, other.id()), false);
        }
        node(id).crash(random);
    }

    // ---------------------------------------------------------------- what is expected

    /** Returns who leads after a while: somebody has to. */
    int awaitLeader() {
        run(LONG);
        assertNotEquals("somebody leads", 0, leader());
        return leader();
    }

    /** A server's next command is ordered, and its next read answered. */
    void assertGoesOn(int proposer) {
        int before = order.size();
        node(proposer).propose();
        node(proposer).read(before);
        run(LONG);
        assertTrue("a command is ordered", order.size() > before);
        assertEquals(0, node(proposer).readsWaiting());
        assertEquals(0, node(proposer).gauge("commands_outstanding"));
    }

    // ---------------------------------------------------------------- letting things happen

    /** Everything that can happen at once does, and so many ticks pass. */
    void run(int ticks) {
        for (int i = 0; i < ticks; i++) {
            nodes.stream().filter(DiskNode::isRunning).forEach(DiskNode::tick);
            settle(0);
        }
    }

    /** The same, but one server gets no input; what it has asked of its disks happens. */
    void runWithout(int stalled, int ticks) {
        for (int i = 0; i < ticks; i++) {
            runWhileHeld(stalled, 1);
            for (int disk = 0; disk < disks.count(); disk++) {
                node(stalled).carryOut(disk, random);
            }
        }
    }

    /** The same, and nothing that it has asked of its disks happens either. */
    void runWhileHeld(int stalled, int ticks) {
        for (int i = 0; i < ticks; i++) {
            nodes.stream()
                    .filter(node -> node.isRunning() && node.id() != stalled)
                    .forEach(DiskNode::tick);
            settle(stalled);
        }
    }

    private void settle(int stalled) {
        boolean more = true;
        for (int steps = 0; more && steps < 2_000; steps++) {
            more = false;
            for (DiskNode node : nodes) {
                more |= node.isRunning() && node.id() != stalled && step(node);
            }
        }
        fetchStates();
    }

    /** What can happen at one server, once. */
    boolean step(DiskNode node) {
        boolean more = false;
        for (int disk = 0; disk < disks.count(); disk++) {
            more |= node.carryOut(disk, random);
            more |= node.answer(disk, random);
        }
        for (DiskNode other : nodes) {
            more |= other != node && passMessage(other.id(), node.id());
        }
        return more;
    }

    /** Nobody gets the state of this server from now on. */
    void givesNoState(int id) {
        withoutState = id;
    }

    /** Who needs another's state gets that of the server that it asks, as in the product: by starting anew. */
    private void fetchStates() {
        for (DiskNode node : nodes) {
            if (node.isRunning() && !node.needsState().isEmpty()) {
                long wanted = node.needsState().get(0) - 1;
                long has = node.deliveredValues().size();
                InvariantViolated.check(
                        wanted > has,
                        "server %d has %d positions, and would take a state of %d",
                        node.id(),
                        has,
                        wanted);
                node.needsState().clear();
                DiskNode asked = node(node.askedForState());
                boolean isReached = asked.isRunning() && asked.id() != withoutState && linkUp[node.id()][asked.id()];
                if (isReached && asked.deliveredValues().size() >= wanted) {
                    crash(node.id());
                    node.install(asked);
                    start(node.id());
                    linkAll();
                }
            }
        }
    }

    int leader() {
        return nodes.stream()
                .filter(node -> node.isRunning() && node.status().role() == Role.LEADER)
                .mapToInt(DiskNode::id)
                .findFirst()
                .orElse(0);
    }

    /** A while in which anything may happen. */
    void wander(int steps) {
        for (int i = 0; i < steps; i++) {
            DiskNode node = nodes.get(random.nextInt(nodes.size()));
            int what = random.nextInt(1000);
            if (node.isRunning()) {
                wander(node, what);
            } else if (what < 20) {
                start(node.id());
            }
        }
    }

    private void wander(DiskNode node, int what) {
        int disk = random.nextInt(disks.count());
        int other = 1 + random.nextInt(nodes.size());
        if (what < 400) {
            node.carryOut(disk, random);
        } else if (what < 750) {
            node.answer(disk, random);
        } else if (what < 880) {
            passMessage(other, node.id());
        } else if (what < 930) {
            node.tick();
        } else if (what < 960) {
            node.propose();
        } else if (what < 975) {
            node.read(order.size());
        } else if (what < 980) {
            node.takeCheckpoint();
        } else if (other != node.id() && what < 990) {
            link(Math.min(other, node.id()), Math.max(other, node.id()), random.nextInt(3) > 0);
        } else if (what < 993) {
            node.cutOff(disk, random.nextInt(3) == 0);
        } else if (what < 994) {
            disks.setAlive(disk, random.nextInt(3) > 0);
        } else if (what < 996) {
            crash(node.id());
        } else if (what < 997) {
            stall(node);
        }
        fetchStates();
    }

    /** Everybody else goes on for long, while what this server has asked of its disks may still happen. */
    private void stall(DiskNode node) {
        int ticks = 20 + random.nextInt(100);
        for (int i = 0; i < ticks; i++) {
            for (DiskNode other : nodes) {
                if (other != node && other.isRunning()) {
                    other.tick();
                    for (int steps = 0; steps < 20 && step(other); steps++) {
                        // until nothing more can happen there
                    }
                }
            }
            if (random.nextInt(10) == 0) {
                node.carryOut(random.nextInt(disks.count()), random);
            }
        }
    }

    /** All faults end. */
    void heal() {
        for (int disk = 0; disk < disks.count(); disk++) {
            disks.setAlive(disk, true);
            for (DiskNode node : nodes) {
                node.cutOff(disk, false);
            }
        }
        nodes.stream().filter(node -> !node.isRunning()).forEach(node -> start(node.id()));
        linkAll();
    }

    void checkpointAll() {
        nodes.stream().filter(DiskNode::isRunning).forEach(DiskNode::takeCheckpoint);
    }
}
