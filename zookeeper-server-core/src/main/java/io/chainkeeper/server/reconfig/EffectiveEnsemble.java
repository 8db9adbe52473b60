package io.chainkeeper.server.reconfig;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.transport.PeerAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The ensemble as this replica sees it, and as it tells the order: the replicated configuration, or the one of its own
 * file while that is newer, the plan that stands, and whoever an earlier plan has let vote. Safe for use by any thread.
 */
public final class EffectiveEnsemble {
    private record Told(Ensemble ensemble, SortedMap<Integer, PeerAddress> addresses) {}

    private final int replicaId;
    private final EnsembleConfig own;

    /** What counts while none is replicated: the newest that was in force here, which the file has been given. */
    private volatile EnsembleConfig kept;

    private final ReplicatedState state;
    private final JoiningServers joining;
    private TotalOrder order;
    private Told told;
    private EnsembleConfig last;
    private EnsembleConfig departing;

    /**
     * @param replicaId this replica
     * @param own the newer of what its file and its recovered tree say
     * @param fileIsTold whether the order has been started with {@code own}
     * @param state the replicated state
     * @param orderingDirectory where is kept who is being added
     * @throws IOException if that cannot be read, or is damaged; the message names the file
     */
    public EffectiveEnsemble(
            int replicaId, EnsembleConfig own, boolean fileIsTold, ReplicatedState state, Path orderingDirectory)
            throws IOException {
        this.replicaId = replicaId;
        this.own = own;
        this.state = state;
        this.joining = new JoiningServers(orderingDirectory);
        this.kept = own;
        this.last = effective();
        if (fileIsTold) {
            told = new Told(own.ensemble(), own.addresses());
        }
    }

    /** @return the configuration in force, plans not counted */
    public EnsembleConfig effective() {
        EnsembleConfig replicated = state.configuration();
        EnsembleConfig newest = kept;
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

    /** Configuration, plan or membership have changed: tells the order, if it has not been told that already. */
    public synchronized void changed() {
        EnsembleConfig now = effective();
        if (now.version() > kept.version()) {
            kept = now;
        }
        if (now.version() != last.version()) {
            departing = last;
            last = now;
        }
        EnsemblePlan plan = state.plan();
        joining.update(now, plan == null ? null : plan.configuration(), voters());
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

    /** Ids of those who vote, as far as the order has changed that. */
    private List<Integer> voters() {
        Membership membership = state.membership();
        return membership == null ? List.of() : membership.replicaIds();
    }

    private void tell() {
        Told next = wanted();
        if (order != null && !next.equals(told)) {
            told = next;
            order.configure(next.ensemble(), next.addresses());
        }
    }

    private Told wanted() {
        EnsembleConfig current = effective();
        EnsemblePlan plan = state.plan();
        SortedMap<Integer, PeerAddress> addresses = new TreeMap<>();
        if (departing != null) {
            // One whose address changes learns so over links to the old one; itself it listens at the new one at once.
            addresses.putAll(departing.addresses());
            addresses.keySet().retainAll(current.servers().keySet());
            addresses.remove(replicaId);
        }
        if (!contained()) {
            // Whoever configured this replica's file knows better than the past whom it can reach.
            addresses.putAll(own.addresses());
        }
        List<Integer> participants = new ArrayList<>(current.participants());
        List<EnsembleConfig> fed = new ArrayList<>(List.of(current));
        if (departing != null) {
            fed.add(departing);
        }
        if (plan != null) {
            participants = plan.configuration().participants();
            fed.add(plan.configuration());
        }
        List<Integer> observers = new ArrayList<>();
        for (EnsembleConfig configuration : fed) {
            observers.addAll(configuration.servers().keySet());
            configuration.addresses().forEach(addresses::putIfAbsent);
        }
        joining.servers().forEach((id, server) -> {
            addresses.putIfAbsent(id, server.address());
            if (voters().contains(id)) {
                observers.add(id);
            }
        });
        observers.removeAll(participants);
        return new Told(new Ensemble(participants, observers), addresses);
    }
}
