package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedLinks;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * One connection per pair of replicas, as TCP gives it: first in first out per direction, nothing lost while it is up.
 * A cut direction holds back what is sent; if the cut lasts, or if the process at one end is gone, the connection
 * breaks: what was in flight is lost, each end notices in its own time, and a new connection follows when the pair can
 * reach each other.
 */
public final class SimulatedNetwork implements Network {
    private record Frame(long arrivesAtMicros, byte[] bytes) {}

    /** One direction of a pair. */
    private static final class Direction {
        private final int from;
        private final int to;
        private final Deque<Frame> inFlight = new ArrayDeque<>();
        private boolean cut;
        private long cutNumber;
        private int slowFactor = 1;
        private long lastArrivalMicros;
        /** The host at the receiving end that was told of the connection. */
        private ReplicaHost told;

        private long lastNoticeMicros;

        /** The receiver reads nothing until it says so. */
        private boolean unread;

        private Direction(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    private static final class Connection {
        private final Direction[] directions;
        private long epoch;
        private boolean up;
        private int pendingNotices;
        private boolean connecting;

        private Connection(int one, int other) {
            directions = new Direction[] {new Direction(one, other), new Direction(other, one)};
        }

        private boolean anyCut() {
            return directions[0].cut || directions[1].cut;
        }
    }

    private record Pair(int low, int high) implements Comparable<Pair> {
        @Override
        public int compareTo(Pair other) {
            int byLow = Integer.compare(low, other.low);
            return byLow != 0 ? byLow : Integer.compare(high, other.high);
        }
    }

    private final EventQueue events;
    private final Delays delays;
    private final Trace trace;
    private final IntFunction<ReplicaHost> hosts;
    private final Map<Pair, Connection> connections = new TreeMap<>();
    private long lastEpoch;

    /**
     * @param replicas their ids are 1 to this
     * @param events virtual time
     * @param delays how long things take
     * @param trace told of breaks and losses
     * @param hosts the running incarnation of a replica, or null
     */
    SimulatedNetwork(int replicas, EventQueue events, Delays delays, Trace trace, IntFunction<ReplicaHost> hosts) {
        this.events = events;
        this.delays = delays;
        this.trace = trace;
        this.hosts = hosts;
        for (int low = 1; low <= replicas; low++) {
            for (int high = low + 1; high <= replicas; high++) {
                connections.put(new Pair(low, high), new Connection(low, high));
            }
        }
    }

    private Connection connection(int one, int other) {
        return connections.get(new Pair(Math.min(one, other), Math.max(one, other)));
    }

    private Direction direction(int from, int to) {
        return connection(from, to).directions[from < to ? 0 : 1];
    }

    // ---------------------------------------------------------------- connections

    @Override
    public void started(int replica) {
        connections.values().stream()
                .filter(connection -> touches(connection, replica))
                .forEach(this::connectLater);
    }

    @Override
    public void crashed(int replica) {
        connections.values().stream()
                .filter(connection -> touches(connection, replica))
                .forEach(this::breakConnection);
    }

    private static boolean touches(Connection connection, int replica) {
        return connection.directions[0].from == replica || connection.directions[0].to == replica;
    }

    private void connectLater(Connection connection) {
        if (!connection.connecting && !connection.up) {
            connection.connecting = true;
            events.after(delays.reconnectMicros(), () -> connect(connection));
        }
    }

    private void connect(Connection connection) {
        connection.connecting = false;
        Direction first = connection.directions[0];
        boolean reachable = hosts.apply(first.from) != null && hosts.apply(first.to) != null && !connection.anyCut();
        if (connection.up || connection.pendingNotices > 0 || !reachable) {
            return;
        }
        connection.up = true;
        connection.epoch = ++lastEpoch;
        for (Direction direction : connection.directions) {
            ReplicaHost host = hosts.apply(direction.to);
            long epoch = connection.epoch;
            direction.unread &= direction.told == host;
            direction.told = host;
            long delay = noticeDelay(direction);
            direction.lastArrivalMicros = events.nowMicros() + delay;
            events.after(delay, () -> {
                if (host.isAlive()) {
                    host.peerUp(direction.from, epoch);
                }
            });
        }
    }

    /** Notices of one end come in the order of what happened. */
    private long noticeDelay(Direction direction) {
        long at = Math.max(
                Math.max(events.nowMicros() + delays.noticeMicros(), direction.lastNoticeMicros),
                direction.lastArrivalMicros);
        direction.lastNoticeMicros = at;
        return at - events.nowMicros();
    }

    @Override
    public void breakLink(int one, int other) {
        breakConnection(connection(one, other));
    }

    private void breakConnection(Connection connection) {
        if (!connection.up) {
            return;
        }
        Direction first = connection.directions[0];
        trace.record(0, "link breaks between", first.from, "and " + first.to);
        connection.up = false;
        for (Direction direction : connection.directions) {
            direction.inFlight.clear();
            direction.lastArrivalMicros = 0;
            ReplicaHost host = direction.told;
            connection.pendingNotices++;
            events.after(noticeDelay(direction), () -> {
                connection.pendingNotices--;
                if (host.isAlive()) {
                    host.peerDown(direction.from);
                }
                connectLater(connection);
            });
        }
    }

    @Override
    public void paused(int replica, long untilMicros) {
        // Whoever is told something does not work on it.
    }

    @Override
    public boolean reaches(int from, int to) {
        return connection(from, to).up && !direction(from, to).cut;
    }

    // ---------------------------------------------------------------- frames

    /** Lost if the connection that its sender knew is no more. */
    @Override
    public void send(int from, int to, long epoch, byte[] bytes) {
        Connection connection = connection(from, to);
        boolean sameLink = connection.epoch == epoch || epoch == SimulatedLinks.NEWEST_LINK;
        if (!connection.up || !sameLink) {
            trace.record(from, "loses frame to", to, null);
            return;
        }
        Direction direction = direction(from, to);
        long arrival = events.nowMicros() + delays.networkMicros() * direction.slowFactor;
        direction.lastArrivalMicros = Math.max(direction.lastArrivalMicros, arrival);
        direction.inFlight.addLast(new Frame(direction.lastArrivalMicros, bytes));
        events.after(direction.lastArrivalMicros - events.nowMicros(), () -> arrive(direction));
    }

    private void arrive(Direction direction) {
        while (!direction.cut
                && !direction.unread
                && !direction.inFlight.isEmpty()
                && direction.inFlight.peekFirst().arrivesAtMicros() <= events.nowMicros()) {
            Frame frame = direction.inFlight.removeFirst();
            if (direction.told.isAlive()) {
                direction.unread = !direction.told.frameArrived(direction.from, frame.bytes());
            }
        }
    }

    @Override
    public void readAgain(int receiver, int from) {
        Direction direction = direction(from, receiver);
        if (direction.unread) {
            direction.unread = false;
            events.after(0, () -> arrive(direction));
        }
    }

    // ---------------------------------------------------------------- faults

    /** After a while the connection breaks. */
    @Override
    public void cut(int from, int to) {
        Direction direction = direction(from, to);
        if (direction.cut) {
            return;
        }
        trace.record(0, "cut", from, "-> " + to);
        direction.cut = true;
        long number = ++direction.cutNumber;
        events.after(delays.cutDetectionMicros(), () -> {
            if (direction.cut && direction.cutNumber == number) {
                breakConnection(connection(from, to));
            }
        });
    }

    @Override
    public void heal(int from, int to) {
        Direction direction = direction(from, to);
        if (direction.cut) {
            trace.record(0, "healed", from, "-> " + to);
            direction.cut = false;
            arrive(direction);
            connectLater(connection(from, to));
        }
    }

    @Override
    public int cuts() {
        int cuts = 0;
        for (Connection connection : connections.values()) {
            cuts += (connection.directions[0].cut ? 1 : 0) + (connection.directions[1].cut ? 1 : 0);
        }
        return cuts;
    }

    @Override
    public void slow(int from, int to, int factor) {
        trace.record(0, "slowed", from, "-> " + to + " by " + factor);
        direction(from, to).slowFactor = factor;
    }

    @Override
    public void healAll() {
        for (Connection connection : connections.values()) {
            for (Direction direction : connection.directions) {
                direction.slowFactor = 1;
                heal(direction.from, direction.to);
            }
        }
    }
}
