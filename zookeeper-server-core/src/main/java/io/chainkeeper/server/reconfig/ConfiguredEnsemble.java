package io.chainkeeper.server.reconfig;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.state.EnsembleConfiguration;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.SideState;
import io.chainkeeper.transport.PeerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The ensemble as this replica sees it, and as it tells the order: the replicated configuration, or the one of its own
 * file while that is newer, and the plan that stands. Safe for use by any thread.
 */
public final class ConfiguredEnsemble {
    private record Told(Ensemble ensemble, SortedMap<Integer, PeerAddress> addresses) {}

    private final int replicaId;
    private final EnsembleConfiguration own;

    /** What counts while none is replicated: the newest that was in force here, which the file has been given. */
    private volatile EnsembleConfiguration kept;

    private final SideState side;
    private TotalOrder order;
    private Told told;
    private EnsembleConfiguration last;
    private EnsembleConfiguration departing;

    /**
     * @param replicaId this replica
     * @param own the newer of what its file and its recovered tree say
     * @param fileIsTold whether the order has been started with {@code own}
     * @param side the replicated state
     */
    public ConfiguredEnsemble(int replicaId, EnsembleConfiguration own, boolean fileIsTold, SideState side) {
        this.replicaId = replicaId;
        this.own = own;
        this.side = side;
        this.kept = own;
        this.last = effective();
        if (fileIsTold) {
            told = new Told(own.ensemble(), own.addresses());
        }
    }

    /** @return the configuration in force, plans not counted */
    public EnsembleConfiguration effective() {
        EnsembleConfiguration replicated = side.configuration();
        EnsembleConfiguration newest = kept;
        return replicated == null || replicated.version() < newest.version() ? newest : replicated;
    }

    /** @return whether this replica is part of the ensemble, so that clients may use it */
    public boolean contained() {
        return effective().servers().containsKey(replicaId);
    }

    /** @return whether this replica is meant to vote */
    public boolean participates() {
        return effective().participants().contains(replicaId);
    }

    /**
     * The order runs.
     *
     * @param started the order
     */
    public synchronized void connect(TotalOrder started) {
        order = started;
        changed();
    }

    /** Configuration or plan have changed: tells the order, if it has not been told that already. */
    public synchronized void changed() {
        EnsembleConfiguration now = effective();
        if (now.version() > kept.version()) {
            kept = now;
        }
        if (now.version() != last.version()) {
            departing = last;
            last = now;
        }
        tell();
    }

    /**
     * Those who are configured no more have had time to learn so from the order. Called some time after
     * {@link #changed}, at least a tick.
     */
    public synchronized void departed() {
        if (departing != null) {
            departing = null;
            tell();
        }
    }

    private void tell() {
        Told next = wanted();
        if (order != null && !next.equals(told)) {
            told = next;
            order.configure(next.ensemble(), next.addresses());
        }
    }

    private Told wanted() {
        EnsembleConfiguration current = effective();
        EnsemblePlan plan = side.plan();
        SortedMap<Integer, PeerAddress> addresses = new TreeMap<>();
        if (!contained()) {
            // Whoever configured this replica's file knows better than the past whom it can reach.
            addresses.putAll(own.addresses());
        }
        List<Integer> participants = new ArrayList<>(current.participants());
        List<EnsembleConfiguration> fed = new ArrayList<>(List.of(current));
        if (departing != null) {
            fed.add(departing);
        }
        if (plan != null) {
            participants = plan.configuration().participants();
            fed.add(plan.configuration());
        }
        List<Integer> observers = new ArrayList<>();
        for (EnsembleConfiguration configuration : fed) {
            observers.addAll(configuration.servers().keySet());
            configuration.addresses().forEach(addresses::putIfAbsent);
        }
        observers.removeAll(participants);
        return new Told(new Ensemble(participants, observers), addresses);
    }
}
