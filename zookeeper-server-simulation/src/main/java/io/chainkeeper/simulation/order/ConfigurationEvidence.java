package io.chainkeeper.simulation.order;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsemblePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the one order makes of the configuration of the ensemble, beside all replicas: which plan stands, and which
 * requests change what {@code /zookeeper/config} holds. Checks that every replica executes just these changes. Only the
 * version of a configuration, which is a zxid, is taken from the replica that executes it first.
 */
public final class ConfigurationEvidence {
    /** A request that has changed the configuration. */
    private record Changer(long sessionId, int cxid) {}

    private final OrderedSessions sessions;
    private final Supplier<Membership> membership;
    private final Consumer<EnsembleConfig> executedFirst;
    private final List<SortedMap<Integer, EnsembleConfig.Server>> ordered = new ArrayList<>();
    private final List<EnsembleConfig> executed = new ArrayList<>();
    private final Map<Long, Integer> numbers = new TreeMap<>();
    private final List<Changer> changers = new ArrayList<>();
    private EnsemblePlan plan;

    /**
     * @param sessions as the order has them
     * @param membership in force after everything that was ordered
     * @param executedFirst told of each configuration when the first replica has executed it
     */
    ConfigurationEvidence(
            OrderedSessions sessions, Supplier<Membership> membership, Consumer<EnsembleConfig> executedFirst) {
        this.sessions = sessions;
        this.membership = membership;
        this.executedFirst = executedFirst;
    }

    // ---------------------------------------------------------------- the order

    /** The cluster is formed; only the first time counts. */
    void formed(Command.ClusterFormed formed) {
        if (ordered.isEmpty() && !formed.configuration().isEmpty()) {
            ordered.add(EnsembleConfig.parse(formed.configuration()).servers());
            changers.add(null);
        }
    }

    void planned(Command.PlanEnsemble command, ProposedCommand proposed) {
        EnsemblePlan next = new EnsemblePlan(
                proposed.proposer(),
                proposed.incarnation(),
                command.sessionId(),
                command.cxid(),
                EnsembleConfig.parse(command.configuration()));
        if (plan == null && isOfTheNewest(next) && isOwned(next)) {
            plan = next;
        }
    }

    /** Nobody can plan on top of a configuration that no replica has executed yet. */
    private boolean isOfTheNewest(EnsemblePlan next) {
        return !ordered.isEmpty()
                && executed.size() == ordered.size()
                && newest().version() == next.configuration().version();
    }

    private boolean isOwned(EnsemblePlan planned) {
        OrderedSessions.Session session = sessions.get(planned.sessionId());
        return session != null
                && session.owner() == planned.proposer()
                && session.incarnation() == planned.incarnation();
    }

    void dropped(Command.DropPlan command) {
        if (plan != null && plan.isOf(command.sessionId(), command.cxid())) {
            plan = null;
        }
    }

    /** After each command: a plan does not outlive its client at its proposer. */
    void dropUnlessOwned() {
        if (plan != null && !isOwned(plan)) {
            plan = null;
        }
    }

    /** A {@code reconfig} takes its turn; returns the servers that are configured no more. */
    List<Integer> requested(Command.ClientRequest request, ProposedCommand proposed) {
        if (plan == null || !plan.isOf(request.sessionId(), request.cxid())) {
            return List.of();
        }
        EnsemblePlan taken = plan;
        plan = null;
        OrderedSessions.Session session = sessions.get(request.sessionId());
        boolean isOwner = session != null && session.owner() == proposed.proposer();
        if (!isOwner || !taken.reached(membership.get(), newest())) {
            return List.of();
        }
        List<Integer> removed = new ArrayList<>(ordered.get(ordered.size() - 1).keySet());
        removed.removeAll(taken.configuration().servers().keySet());
        ordered.add(taken.configuration().servers());
        changers.add(new Changer(request.sessionId(), request.cxid()));
        return removed;
    }

    /** Whether a replica may not own sessions. */
    boolean isOutside(int replica) {
        return !ordered.isEmpty() && !ordered.get(ordered.size() - 1).containsKey(replica);
    }

    /** Whether a change is under way in the order. */
    public boolean isChanging() {
        return plan != null || executed.size() < ordered.size();
    }

    // ---------------------------------------------------------------- the replicas

    /** A replica has executed a configuration, or has recovered with it. */
    public void executed(int replica, EnsembleConfig configuration) {
        Integer number = numbers.get(configuration.version());
        if (number == null) {
            number = executed.size();
            InvariantViolated.check(
                    number < ordered.size() && (number == 0 || configuration.version() > newest().version()),
                    "replica %d executes the configuration %s, which nobody has ordered after %s",
                    replica,
                    configuration.text(),
                    ordered);
            numbers.put(configuration.version(), number);
            executed.add(configuration);
            executedFirst.accept(configuration);
        }
        InvariantViolated.check(
                configuration.servers().equals(ordered.get(number)),
                "replica %d executes the configuration %s where %s were ordered",
                replica,
                configuration.text(),
                ordered.get(number));
    }

    /** The newest that a replica has executed; only once there is one. */
    public EnsembleConfig newest() {
        return executed.get(executed.size() - 1);
    }

    /** How many replicas have executed, one after the other. */
    public int count() {
        return executed.size();
    }

    /** Number of the configuration that a text is; the first one has number 0. */
    public int numberOf(String text) {
        Integer number = numbers.get(EnsembleConfig.versionOf(text));
        InvariantViolated.check(
                number != null && executed.get(number).text().equals(text),
                "a client sees the configuration %s, which no replica has executed",
                text);
        return number;
    }

    /** The configuration of a number, which has been ordered. */
    public EnsembleConfig get(int number) {
        return executed.get(number);
    }

    /** Whether a configuration is what a request has made. */
    public boolean isOf(int number, long sessionId, int cxid) {
        return new Changer(sessionId, cxid).equals(changers.get(number));
    }
}
