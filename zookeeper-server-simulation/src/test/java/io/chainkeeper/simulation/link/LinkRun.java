package io.chainkeeper.simulation.link;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.HostResolver;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerSecret;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** Some processes with real transports, numbered frames between them, and faults drawn from a seed. */
final class LinkRun {
    private static final int PORT = 2_888;

    private final SplittableRandom random;
    private final LinkMutant mutant;
    private final EventQueue events = new EventQueue();
    private final Trace trace;
    private final int processes;
    private final TransportLimits limits;
    private final VirtualNetwork network;
    private final PeerSecret secret;
    private final Map<Integer, LinkedHost> hosts = new TreeMap<>();
    private final Map<Integer, ByteSlice> disks = new TreeMap<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private final long safetyMicros;
    private final long maxHandOverMicros;
    private final long maxPauseMicros;
    private final int maxFrames;
    private final int maxBodyBytes;
    private final int pausePercent;
    private final int linksThreadPercent;
    private long firstIncarnation = 1_000;
    private long lastIncarnation = firstIncarnation;
    private boolean calm;

    LinkRun(long seed, LinkMutant mutant) {
        this(seed, mutant, null);
    }

    /** The same, and somebody is told of what happens. */
    LinkRun(long seed, LinkMutant mutant, Trace.Listener listener) {
        this.trace = new Trace(events, listener);
        this.random = new SplittableRandom(seed);
        this.mutant = mutant;
        this.processes = 2 + random.nextInt(3);
        this.limits = LinkLimits.draw(random);
        LinkHabits habits = LinkHabits.draw(
                random,
                LinkLimits.pick(random, 200, 5_000, 100_000),
                LinkLimits.pick(random, 1_000, 300_000),
                LinkLimits.pick(random, 100, 10_000));
        this.network = new VirtualNetwork(processes, events, random.split(), habits, trace, events::step);
        this.secret = random.nextInt(4) == 0 ? secret() : null;
        this.safetyMicros = 1_000_000L * (1 + random.nextInt(4));
        this.maxHandOverMicros = LinkLimits.pick(random, 10, 1_000, 100_000);
        this.maxPauseMicros = LinkLimits.pick(random, 1_000, 100_000, 2_000_000);
        this.maxFrames = LinkLimits.pick(random, 1, 3, 8);
        this.maxBodyBytes = LinkLimits.pick(random, 0, 100, 4_000);
        this.pausePercent = LinkLimits.pick(random, 0, 0, 1, 10);
        this.linksThreadPercent = LinkLimits.pick(random, 0, 10);
    }

    private static PeerSecret secret() {
        return new PeerSecret() {
            @Override
            public List<ByteSlice> current() {
                return List.of(ByteSlice.of("a secret of some length".getBytes(StandardCharsets.US_ASCII)));
            }

            @Override
            public boolean isRequired() {
                return true;
            }
        };
    }

    /** Virtual time. */
    long now() {
        return events.nowMicros();
    }

    /** Runs until faults have stopped and all is well; returns what was counted. */
    Map<String, Long> run() {
        for (int id = 1; id <= processes; id++) {
            start(id);
            planWork(id);
        }
        planFault();
        while (events.nowMicros() < safetyMicros && events.step()) {
            checkMemory();
        }
        calm();
        long bound = LinkLimits.healedWithinMicros(limits);
        await("all links to be up", bound, this::allLinked);
        await("frames over all links", bound, this::allReached);
        await("answers from all", bound + 2_000L * limits.stateIdleLimitMillis(), this::allAnswer);
        end();
        counts.put("events", events.steps());
        counts.put("hash", trace.hash());
        return counts;
    }

    // ---------------------------------------------------------------- what is drawn

    LinkMutant mutant() {
        return mutant;
    }

    /** Whether it is time for the mutant to do what it does. */
    boolean mutates(LinkMutant which) {
        return mutant == which && random.nextInt(20) == 0;
    }

    TransportLimits limits() {
        return limits;
    }

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
        trace.mix(what.hashCode());
    }

    void later(long delayMicros, Runnable action) {
        events.after(delayMicros, action);
    }

    long handOverMicros() {
        return random.nextLong(calm ? 50 : maxHandOverMicros);
    }

    boolean noticesOneMore() {
        return calm || random.nextInt(3) != 0;
    }

    boolean pausesReading() {
        return !calm && random.nextInt(100) < pausePercent;
    }

    long pauseMicros() {
        return 1 + random.nextLong(maxPauseMicros);
    }

    boolean sendsOnLinksThread() {
        return !calm && random.nextInt(100) < linksThreadPercent;
    }

    int framesAtOnce() {
        return calm ? 1 : random.nextInt(maxFrames + 1);
    }

    int frameBytes() {
        return random.nextInt(maxBodyBytes + 1);
    }

    boolean refusesToAnswer() {
        return !calm && random.nextInt(10) == 0;
    }

    // ---------------------------------------------------------------- processes

    private Map<Integer, PeerAddress> members() {
        Map<Integer, PeerAddress> members = new TreeMap<>();
        for (int id = 1; id <= processes; id++) {
            members.put(id, new PeerAddress(VirtualNetwork.hostName(id), PORT));
        }
        return members;
    }

    private void start(int id) {
        if (hosts.containsKey(id)) {
            return;
        }
        // The clock of a process that has a new disk may have been set back.
        boolean newDisk = !disks.containsKey(id) || !calm && random.nextInt(8) == 0;
        long incarnation = newDisk && random.nextBoolean() ? --firstIncarnation : ++lastIncarnation;
        if (newDisk) {
            byte[] disk = new byte[TransportSettings.DISK_IDENTITY_BYTES];
            random.nextBytes(disk);
            disks.put(id, ByteSlice.of(disk));
        }
        VirtualProcess process = network.start(id, clock());
        TransportSettings settings = TransportSettings.builder(id, "chain", members())
                .incarnation(incarnation)
                .clusterId(() -> 7)
                .limits(limits)
                .secret(secret)
                .diskIdentity(disks.get(id))
                .resolver(resolver(id))
                .build();
        LinkedHost host = new LinkedHost(this, id, incarnation, process);
        hosts.put(id, host);
        try {
            host.start(new NettyPeerTransport(settings, process));
        } catch (IOException e) {
            throw new InvariantViolated("a process cannot start: " + e.getMessage());
        }
        count("starts");
    }

    private HostResolver resolver(int id) {
        HostResolver real = network.resolver(id);
        if (mutant != LinkMutant.NOT_DIALLED_AGAIN) {
            return real;
        }
        return name -> {
            if (events.nowMicros() > safetyMicros / 2) {
                throw new UnknownHostException(name);
            }
            return real.resolve(name);
        };
    }

    /** Clocks run a little faster or slower than the time. */
    private VirtualProcess.Clock clock() {
        long percent = 90 + random.nextInt(21);
        return new VirtualProcess.Clock() {
            @Override
            public long nowMicros() {
                return events.nowMicros() * percent / 100;
            }

            @Override
            public long realMicros(long clockMicros) {
                return clockMicros * 100 / percent + 1;
            }
        };
    }

    private void planWork(int id) {
        events.after(1 + random.nextLong(calm ? 10_000 : 20_000), () -> {
            LinkedHost host = hosts.get(id);
            if (host != null) {
                host.work();
            }
            planWork(id);
        });
    }

    // ---------------------------------------------------------------- faults

    private void planFault() {
        events.after(1 + random.nextLong(200_000), () -> {
            if (!calm) {
                fault();
                planFault();
            }
        });
    }

    private void fault() {
        int one = 1 + random.nextInt(processes);
        int other = 1 + (one + random.nextInt(processes - 1)) % processes;
        LinkedHost host = hosts.get(one);
        switch (random.nextInt(11)) {
            case 0, 1 -> cut(one, other);
            case 2 -> {
                cut(one, other);
                cut(other, one);
            }
            case 3 -> split();
            case 4, 5 -> network.reset(one, other);
            case 6 -> crash(one);
            case 7 -> pause(host);
            case 8 -> network.slow(one, other, 1 + random.nextInt(30));
            case 9 -> {
                if (host != null) {
                    host.transport().disconnect(other, "sent something wrong");
                }
            }
            default -> askOrRemove(host, other);
        }
    }

    private void askOrRemove(LinkedHost host, int other) {
        if (host == null) {
            return;
        }
        if (random.nextBoolean()) {
            host.ask(other, 1 + random.nextInt(3));
            return;
        }
        count("removals");
        Map<Integer, PeerAddress> fewer = members();
        fewer.remove(other);
        host.transport().setPeers(fewer);
        events.after(duration(), () -> host.transport().setPeers(members()));
    }

    private void cut(int from, int to) {
        count("cuts");
        network.cut(from, to);
        events.after(duration(), () -> network.heal(from, to));
    }

    /** Any directed pairs. */
    private void split() {
        for (int from = 1; from <= processes; from++) {
            for (int to = 1; to <= processes; to++) {
                if (from != to && random.nextBoolean()) {
                    cut(from, to);
                }
            }
        }
    }

    private void crash(int id) {
        LinkedHost host = hosts.remove(id);
        if (host == null) {
            return;
        }
        if (random.nextInt(4) == 0) {
            count("closings");
            host.transport().close();
            checkClosed(host);
        }
        network.crash(id, random.nextBoolean());
        count("crashes");
        events.after(duration(), () -> start(id));
    }

    private void pause(LinkedHost host) {
        if (host != null) {
            count("pauses");
            host.process().pause(events.nowMicros() + duration());
        }
    }

    private long duration() {
        return 1 + random.nextLong(1_000L << random.nextInt(12));
    }

    private void calm() {
        calm = true;
        network.calm();
        for (int id = 1; id <= processes; id++) {
            start(id);
            hosts.get(id).process().pause(events.nowMicros());
            hosts.get(id).transport().setPeers(members());
        }
    }

    // ---------------------------------------------------------------- what must hold

    private void checkMemory() {
        for (LinkedHost host : hosts.values()) {
            // Two chunks above the high water mark, and handshakes, and answers of a mebibyte in chunks.
            long perConnection = 6 * (64L << 10);
            long bound =
                    perConnection * (processes + limits.maxStateConnections()) + 2_048L * limits.maxPendingHandshakes();
            InvariantViolated.check(
                    host.process().usedBytes() <= bound,
                    "the links of replica %d hold %d bytes",
                    host.id(),
                    host.process().usedBytes());
        }
    }

    private void await(String what, long boundMicros, BooleanSupplier condition) {
        long deadline = events.nowMicros() + boundMicros;
        while (!condition.getAsBoolean()) {
            InvariantViolated.check(
                    events.nowMicros() < deadline && events.step(), "waited %d ms for %s", boundMicros / 1_000, what);
        }
    }

    private boolean allLinked() {
        return hosts.values().stream()
                .allMatch(host -> hosts.keySet().stream().allMatch(peer -> peer == host.id() || host.isLinkedTo(peer)));
    }

    private boolean allReached() {
        return hosts.values().stream()
                .allMatch(host ->
                        hosts.keySet().stream().allMatch(peer -> peer == host.id() || host.framesOver(peer) > 0));
    }

    /** Each asks its neighbour; those that have answered once are not asked again. */
    private boolean allAnswer() {
        for (LinkedHost host : hosts.values()) {
            String done = "answered " + host.id();
            if (!counts.containsKey(done)) {
                if (!host.ask(1 + host.id() % processes, 1)) {
                    events.step();
                    return false;
                }
                count(done);
            }
        }
        return true;
    }

    private void end() {
        for (LinkedHost host : hosts.values()) {
            host.transport().close();
            checkClosed(host);
        }
    }

    private static void checkClosed(LinkedHost host) {
        InvariantViolated.check(
                host.process().usedBytes() == 0,
                "replica %d has closed its links and holds %d bytes",
                host.id(),
                host.process().usedBytes());
    }
}
