package io.chainkeeper.simulation.link;

import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.HostResolver;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Machines, what runs on them, and connections between them as TCP gives them: bytes first in first out per direction,
 * in pieces of any size. A cut direction holds back everything: bytes, the end of a connection, a reset, the news that
 * bytes were read. Reordering happens between connections only.
 *
 * <p>Bytes never change on their way: TCP has its checksum, and a frame has none of its own.
 */
public final class VirtualNetwork {
    private static final String NAME = "127.0.0.";

    private static final int PRUNE_AT = 64;

    private record Connection(Endpoint one, Endpoint other) {
        boolean isOver() {
            return one.isOver() && other.isOver();
        }

        boolean isBetween(int a, int b) {
            int first = one.host().id();
            int second = other.host().id();
            return first == a && second == b || first == b && second == a;
        }
    }

    private final EventQueue events;
    private final SplittableRandom random;
    private final Trace trace;
    private final List<Host> hosts = new ArrayList<>();
    private final List<List<Path>> paths = new ArrayList<>();
    private final Runnable step;
    private List<Connection> connections = new ArrayList<>();
    private LinkHabits habits;
    private long lastChannel;

    /**
     * @param hosts their ids are 1 to this
     * @param events virtual time
     * @param random what is drawn
     * @param habits where nothing is cut
     * @param trace told of what goes wrong
     * @param step lets the next event happen while a thread of a process waits
     */
    public VirtualNetwork(
            int hosts, EventQueue events, SplittableRandom random, LinkHabits habits, Trace trace, Runnable step) {
        this.events = events;
        this.random = random;
        this.habits = habits;
        this.trace = trace;
        this.step = step;
        for (int from = 1; from <= hosts; from++) {
            this.hosts.add(new Host(from));
            List<Path> ofHost = new ArrayList<>();
            for (int to = 1; to <= hosts; to++) {
                ofHost.add(new Path(this, from, to));
            }
            paths.add(ofHost);
        }
    }

    /**
     * @param id of a host
     * @return the host in a {@code server.N} line
     */
    public static String hostName(int id) {
        return NAME + id;
    }

    private Host host(int id) {
        return hosts.get(id - 1);
    }

    private Path path(int from, int to) {
        return paths.get(from - 1).get(to - 1);
    }

    // ---------------------------------------------------------------- time and chance

    long nowMicros() {
        return events.nowMicros();
    }

    void after(long delayMicros, Runnable action) {
        events.after(delayMicros, action);
    }

    void letTimePass() {
        step.run();
    }

    SplittableRandom random() {
        return random;
    }

    LinkHabits habits() {
        return habits;
    }

    /** Mostly short, sometimes up to the bound. */
    long delayMicros(Path path) {
        long bound = habits.maxDelayMicros();
        long most = random.nextInt(4) == 0 ? bound : Math.max(1, bound / 8);
        return (1 + random.nextLong(most)) * path.slowFactor();
    }

    private long noticeMicros() {
        return 1 + random.nextLong(habits.maxNoticeMicros());
    }

    long wakeMicros() {
        return habits.maxWakeMicros() == 0 ? 0 : random.nextLong(habits.maxWakeMicros() + 1);
    }

    long blockingMicros() {
        return 1 + random.nextLong(habits.maxBlockingMicros());
    }

    boolean splits() {
        return happens(habits.splitPercent());
    }

    /** What has arrived is part of what happened. */
    void arrived(int bytes) {
        trace.mix(bytes);
    }

    private boolean happens(int percent) {
        return percent > 0 && random.nextInt(100) < percent;
    }

    VirtualChannelId nextChannelId() {
        return new VirtualChannelId(++lastChannel);
    }

    // ---------------------------------------------------------------- processes

    /**
     * A process begins on a host where none runs.
     *
     * @param id of the host
     * @param clock of the process
     * @return what its transport stands on
     */
    public VirtualProcess start(int id, VirtualProcess.Clock clock) {
        Host host = host(id);
        VirtualProcess process = new VirtualProcess(this, host, clock);
        host.process(process);
        return process;
    }

    /**
     * The process of a host ends, if one runs.
     *
     * @param id of the host
     * @param withoutPower whether the machine goes down, so that nobody is told; else its kernel ends the connections
     */
    public void crash(int id, boolean withoutPower) {
        Host host = host(id);
        VirtualProcess process = host.process();
        if (process == null) {
            return;
        }
        trace.record(id, withoutPower ? "machine goes down" : "process ends", 0, null);
        process.die();
        host.process(null);
        host.listening().values().forEach(VirtualServerChannel::abandonBacklog);
        host.listening().clear();
        for (Connection connection : connections) {
            for (Endpoint end : List.of(connection.one(), connection.other())) {
                if (end.host() == host && withoutPower) {
                    end.vanish();
                } else if (end.host() == host) {
                    end.close();
                }
            }
        }
        if (withoutPower) {
            host.losePower();
        }
    }

    /** The run is over: all processes are gone. Netty keeps what belongs to an event loop until that has ended. */
    public void end() {
        for (Host host : hosts) {
            if (host.process() != null) {
                host.process().die();
            }
        }
    }

    /**
     * @param id of the host that asks
     * @return names to addresses as that host learns them; fails at times, and at times has one address too many
     */
    public HostResolver resolver(int id) {
        return name -> {
            if (!name.startsWith(NAME)) {
                throw new UnknownHostException(name);
            }
            int named = Integer.parseInt(name.substring(NAME.length()));
            InetAddress address = host(named).address();
            if (named == id || !happens(habits.lookUpTroublePercent())) {
                return List.of(address);
            }
            if (random.nextBoolean()) {
                throw new UnknownHostException(name + ": the name service does not answer");
            }
            // Nobody has this address.
            byte[] other = address.getAddress();
            other[1] = 1;
            InetAddress silent = InetAddress.getByAddress(name, other);
            return random.nextBoolean() ? List.of(silent, address) : List.of(address, silent);
        };
    }

    private Host at(InetAddress address) {
        for (Host host : hosts) {
            if (host.address().equals(address)) {
                return host;
            }
        }
        return null;
    }

    // ---------------------------------------------------------------- connections

    InetSocketAddress listen(VirtualProcess process, InetSocketAddress address, VirtualServerChannel channel)
            throws BindException {
        Host host = process.host();
        if (host.listening().putIfAbsent(address.getPort(), channel) != null) {
            throw new BindException("Address already in use");
        }
        return new InetSocketAddress(host.address(), address.getPort());
    }

    void unlisten(VirtualProcess process, InetSocketAddress bound, VirtualServerChannel channel) {
        process.host().listening().remove(bound.getPort(), channel);
    }

    /** A process opens a connection; how it ends is told to the channel, or never. */
    void connect(VirtualChannel channel, VirtualProcess process, InetSocketAddress target) {
        Host from = process.host();
        Host to = at(target.getAddress());
        trace.record(from.id(), "connects to", to == null ? 0 : to.id(), target);
        if (to == null) {
            after(
                    noticeMicros(),
                    () -> channel.notConnected(new NoRouteToHostException("No route to host: " + target)));
            return;
        }
        if (happens(habits.dialTroublePercent())) {
            if (random.nextBoolean()) {
                after(noticeMicros(), () -> channel.notConnected(new NoRouteToHostException("No route to host")));
            }
            return;
        }
        Path there = path(from.id(), to.id());
        after(delayMicros(there), () -> there.arrive(() -> asked(channel, process, to, target)));
    }

    private void asked(VirtualChannel channel, VirtualProcess process, Host to, InetSocketAddress target) {
        Host from = process.host();
        if (!to.isUp() || process.isDead() || !channel.isOpen()) {
            return;
        }
        Path there = path(from.id(), to.id());
        Path back = path(to.id(), from.id());
        VirtualServerChannel listening = to.listening().get(target.getPort());
        if (listening == null) {
            IOException refusal = new ConnectException("Connection refused: " + target);
            after(delayMicros(back), () -> back.arrive(() -> channel.notConnected(refusal)));
            return;
        }
        if (!listening.takes()) {
            return;
        }
        Endpoint client = new Endpoint(from, from.nextLocal(), target);
        Endpoint server = new Endpoint(to, target, client.local());
        VirtualStream forth = new VirtualStream(this, there, back, client, server);
        VirtualStream home = new VirtualStream(this, back, there, server, client);
        client.connect(home, forth);
        server.connect(forth, home);
        track(new Connection(client, server));
        long answer = delayMicros(back);
        home.beginsAt(nowMicros() + answer);
        after(answer, () -> back.arrive(() -> answered(channel, process, client)));
        listening.offer(server);
    }

    private void answered(VirtualChannel channel, VirtualProcess process, Endpoint client) {
        if (process.isDead()) {
            return;
        }
        if (channel.isOpen()) {
            trace.record(client.host().id(), "is connected", client.local().getPort(), client.remote());
            channel.connected(client);
        } else {
            client.close();
        }
    }

    private void track(Connection connection) {
        if (connections.size() >= PRUNE_AT) {
            connections = new ArrayList<>(
                    connections.stream().filter(each -> !each.isOver()).toList());
        }
        connections.add(connection);
    }

    /** @return bytes that are on their way or unread in the kernels of hosts */
    public long bytesInKernels() {
        long bytes = 0;
        for (Connection connection : connections) {
            bytes += connection.one().out().bytes() + connection.other().out().bytes();
        }
        return bytes;
    }

    // ---------------------------------------------------------------- faults

    /**
     * Holds back what goes from one host to another.
     *
     * @param from host
     * @param to host
     */
    public void cut(int from, int to) {
        if (!path(from, to).isCut()) {
            trace.record(0, "cut", from, "-> " + to);
            path(from, to).cut();
        }
    }

    /**
     * Ends a cut: what was held back arrives.
     *
     * @param from host
     * @param to host
     */
    public void heal(int from, int to) {
        if (path(from, to).isCut()) {
            trace.record(0, "healed", from, "-> " + to);
            path(from, to).heal();
        }
    }

    /**
     * @param from host
     * @param to host
     * @return whether what goes from one to the other is held back
     */
    public boolean isCut(int from, int to) {
        return path(from, to).isCut();
    }

    /** @return how many directions are cut */
    public int cuts() {
        int cuts = 0;
        for (List<Path> ofHost : paths) {
            for (Path path : ofHost) {
                cuts += path.isCut() ? 1 : 0;
            }
        }
        return cuts;
    }

    /**
     * Makes one direction slower than others.
     *
     * @param from host
     * @param to host
     * @param factor 1 for normal
     */
    public void slow(int from, int to, int factor) {
        trace.record(0, "slowed", from, "-> " + to + " by " + factor);
        path(from, to).slow(factor);
    }

    /**
     * All connections between two hosts are reset, each end in its own time; what is on its way gets lost from any byte
     * on.
     *
     * @param one host
     * @param other host
     */
    public void reset(int one, int other) {
        trace.record(0, "connections reset between", one, "and " + other);
        for (Connection connection : connections) {
            if (connection.isBetween(one, other)) {
                connection.one().out().tear(noticeMicros());
                connection.other().out().tear(noticeMicros());
            }
        }
    }

    /** Ends all cuts and slowness; from now on everything is fast. */
    public void calm() {
        habits = LinkHabits.CALM;
        for (Host from : hosts) {
            for (Host to : hosts) {
                path(from.id(), to.id()).slow(1);
                heal(from.id(), to.id());
            }
        }
    }
}
