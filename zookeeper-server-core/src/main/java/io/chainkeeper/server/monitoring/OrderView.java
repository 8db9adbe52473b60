package io.chainkeeper.server.monitoring;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.Latencies;
import io.chainkeeper.replica.TotalOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.ServerMetrics;

/** What this replica knows about the order, for monitoring. Safe for use by any thread. */
public final class OrderView {
    /** A member that has told nothing since the last change of leader, or is none. */
    public static final long UNKNOWN = -1;

    private static final OrderingStatus NOT_STARTED = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    private final int replicaId;
    private final List<Integer> configuredMembers;
    private final Supplier<TotalOrder> order;
    private final Supplier<Membership> membership;
    private final LongSupplier clockMillis;
    private final LagHistory decided = new LagHistory();
    private final LoadHistory load = new LoadHistory();
    private OrderingStatus seen = NOT_STARTED;
    private long leadingSinceMillis;
    private long lookingSinceMillis;
    private volatile long electionMillis;

    /**
     * @param replicaId this replica
     * @param configuredMembers who votes until the order says otherwise
     * @param order the order, null until it has been started
     * @param membership who votes, null until the order has changed it
     * @param clockMillis a monotonic clock
     */
    public OrderView(
            int replicaId,
            List<Integer> configuredMembers,
            Supplier<TotalOrder> order,
            Supplier<Membership> membership,
            LongSupplier clockMillis) {
        this.replicaId = replicaId;
        this.configuredMembers = List.copyOf(configuredMembers);
        this.order = order;
        this.membership = membership;
        this.clockMillis = clockMillis;
        this.lookingSinceMillis = clockMillis.getAsLong();
    }

    /** @return this replica's id */
    public int replicaId() {
        return replicaId;
    }

    /** @return the role; {@code LOOKING} before the order has been started */
    public OrderingStatus status() {
        TotalOrder started = order.get();
        return started == null ? NOT_STARTED : started.status();
    }

    /** @return whether this replica leads */
    public boolean leads() {
        return status().role() == Role.LEADER;
    }

    /** @return the order's numbers, see {@link TotalOrder#gauges} */
    public Map<String, Long> gauges() {
        TotalOrder started = order.get();
        return started == null ? Map.of() : started.gauges();
    }

    /**
     * @param name of a number
     * @return its value, 0 if there is no such number
     */
    public long gauge(String name) {
        return gauges().getOrDefault(name, 0L);
    }

    /** @return how long this replica's clients wait for the order */
    public Latencies latencies() {
        TotalOrder started = order.get();
        return started == null ? new Latencies() : started.latencies();
    }

    /** @return how long the thread that orders has not been heard of, milliseconds */
    public long silentMillis() {
        TotalOrder started = order.get();
        return started == null ? 0 : started.silentMillis();
    }

    /** @return replicas that a link is up to */
    public Set<Integer> linkedPeers() {
        TotalOrder started = order.get();
        return started == null ? Set.of() : started.linkedPeers();
    }

    /** @return whether all replicas that this one connects to have been tried; false before the order is started */
    public boolean hasTriedPeers() {
        TotalOrder started = order.get();
        return started != null && started.hasTriedPeers();
    }

    /** @return whether strangers who reach the port of the links can claim to be replicas */
    public boolean admitsUnauthenticated() {
        TotalOrder started = order.get();
        return started != null && started.admitsUnauthenticated();
    }

    /** @return ids of those who vote, the leader first, then in the order in which values pass through them */
    public List<Integer> chain() {
        Membership inForce = membership.get();
        List<Integer> chain = new ArrayList<>(inForce == null ? configuredMembers : inForce.replicaIds());
        int head = chain.indexOf(status().leader());
        if (head > 0) {
            Collections.rotate(chain, -head);
        }
        return chain;
    }

    /**
     * @param member replica id
     * @return every position up to here is durable there, as far as this replica has heard, or {@link #UNKNOWN}
     */
    public long acknowledged(int member) {
        long told = gauge("acknowledged." + member);
        return told > 0 ? told : UNKNOWN;
    }

    /**
     * @param member replica id
     * @return how many decided positions it has not acknowledged; of this replica, how many it has not executed; or
     *     {@link #UNKNOWN}
     */
    public long lagPositions(int member) {
        long reached = reached(member);
        return reached == UNKNOWN ? UNKNOWN : Math.max(0, gauge("max_decided") - reached);
    }

    /**
     * @param member replica id
     * @return for how long the first of {@link #lagPositions} has been decided, to half a second; or {@link #UNKNOWN}
     */
    public long lagMillis(int member) {
        long reached = reached(member);
        if (reached == UNKNOWN) {
            return UNKNOWN;
        }
        return decidedForMillis(reached);
    }

    /**
     * @param position how far somebody is
     * @return for how long the next position has been decided, to half a second, as far as this replica has seen; 0 if
     *     it is not
     */
    public synchronized long decidedForMillis(long position) {
        return decided.lagMillis(position, clockMillis.getAsLong());
    }

    /** @return {@link #lagMillis} of each member of which it is known */
    public Map<Integer, Long> lagsMillis() {
        Map<Integer, Long> known = new TreeMap<>();
        for (int member : chain()) {
            long lagMillis = lagMillis(member);
            if (lagMillis != UNKNOWN) {
                known.put(member, lagMillis);
            }
        }
        return known;
    }

    private long reached(int member) {
        return member == replicaId ? gauge("applied_position") : acknowledged(member);
    }

    /** @return how long this replica has been leading, 0 if it does not */
    public synchronized long leaderUptimeMillis() {
        return seen.role() == Role.LEADER ? clockMillis.getAsLong() - leadingSinceMillis : 0;
    }

    /** @return how long this replica had no leader the last time, milliseconds */
    public long electionMillis() {
        return electionMillis;
    }

    /**
     * Looks at the order; called several times a second, and when the role has changed.
     *
     * @param current the role now
     */
    public synchronized void tick(OrderingStatus current) {
        long now = clockMillis.getAsLong();
        decided.seen(gauge("max_decided"), now);
        boolean looked = seen.role() == Role.LOOKING;
        boolean looks = current.role() == Role.LOOKING;
        if (looks && !looked) {
            lookingSinceMillis = now;
            ServerMetrics.getMetrics().LOOKING_COUNT.add(1);
        } else if (looked && !looks) {
            electionMillis = now - lookingSinceMillis;
            foundLeader(current.role(), electionMillis);
        }
        if (current.role() == Role.LEADER && (seen.role() != Role.LEADER || seen.epoch() != current.epoch())) {
            leadingSinceMillis = now;
        }
        seen = current;
    }

    /** ZooKeeper's names for it; its server is unavailable while it synchronizes with a leader, too. */
    private static void foundLeader(Role role, long millis) {
        ServerMetrics metrics = ServerMetrics.getMetrics();
        metrics.ELECTION_TIME.add(millis);
        metrics.UNAVAILABLE_TIME.add(millis);
        if (role == Role.LEADER) {
            metrics.LEADER_UNAVAILABLE_TIME.add(millis);
        }
    }

    /** Remembers the load, if it is time to; called several times a second. */
    public void sampleLoad() {
        load.tick(this, clockMillis.getAsLong());
    }

    /** @return what the load was lately */
    public LoadHistory load() {
        return load;
    }

    /** @return the clock of {@link #load}, in milliseconds */
    public long monotonicMillis() {
        return clockMillis.getAsLong();
    }
}
