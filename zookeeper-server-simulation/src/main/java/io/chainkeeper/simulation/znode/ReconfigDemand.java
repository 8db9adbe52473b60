package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Where everything is healthy an administrator changes the ensemble, at every server. It may ask again while another
 * change is under way, or the members are not yet those of the last one.
 */
final class ReconfigDemand {
    private static final long AGAIN_MICROS = 50_000;

    /** ZooKeeper refuses every change that leaves fewer. */
    private static final int LEAST_PARTICIPANTS = 2;

    private static final List<Code> ASKS_AGAIN = List.of(
            Code.RECONFIGINPROGRESS,
            Code.NEWCONFIGNOQUORUM,
            Code.CONNECTIONLOSS,
            Code.SESSIONEXPIRED,
            Code.SESSIONMOVED);

    private final EventQueue events;
    private final Cluster cluster;
    private final ConfigurationOperations configurations;
    private final Workload.Awaiter awaiter;

    /**
     * @param events virtual time
     * @param cluster that is changed
     * @param configurations asks for changes
     * @param awaiter waits for them
     */
    ReconfigDemand(
            EventQueue events, Cluster cluster, ConfigurationOperations configurations, Workload.Awaiter awaiter) {
        this.events = events;
        this.cluster = cluster;
        this.configurations = configurations;
        this.awaiter = awaiter;
    }

    /** One of these administrators adds an observer, or removes one; where there is none, the list stays as it is. */
    void demandOfOne(List<ZnodeClient> administrators, SplittableRandom random) {
        if (mayChange()) {
            Ensemble next = withOtherObservers(random);
            cluster.ensembles().asked(next);
            demand(administrators, next, random.nextBoolean());
        }
    }

    /** Each of these administrators gives the list once more. */
    void demandOfEach(List<ZnodeClient> administrators) {
        if (mayChange()) {
            administrators.forEach(each -> demand(List.of(each), cluster.ensemble(), false));
        }
    }

    /**
     * One of these administrators removes all that are gone for good, who stay so.
     *
     * @return whether anybody was to be removed
     */
    boolean demandWithoutTheGone(List<ZnodeClient> administrators) {
        Ensemble present = cluster.ensemble();
        Ensemble rest = new Ensemble(withoutTheGone(present.participants()), withoutTheGone(present.observers()));
        if (rest.equals(present) || rest.participants().size() < LEAST_PARTICIPANTS) {
            return false;
        }
        boolean isIncremental = cluster.gone().size() % 2 == 1;
        demand(administrators, rest, isIncremental);
        awaiter.await(
                "the ensemble without those that are gone",
                () -> cluster.ensemble().equals(rest));
        return true;
    }

    private List<Integer> withoutTheGone(List<Integer> ids) {
        return ids.stream().filter(id -> !cluster.gone().contains(id)).toList();
    }

    /** Who asks for an ensemble of which no majority is there is refused, also where shared disks decide. */
    private boolean mayChange() {
        List<Integer> participants = cluster.ensemble().participants();
        boolean isMajorityThere = withoutTheGone(participants).size() > participants.size() / 2;
        return participants.size() >= LEAST_PARTICIPANTS && isMajorityThere;
    }

    private Ensemble withOtherObservers(SplittableRandom random) {
        Ensemble present = cluster.ensemble();
        List<Integer> observers = new ArrayList<>(present.observers());
        List<Integer> outside = cluster.members().stream().filter(this::mayJoin).toList();
        if (!outside.isEmpty() && (observers.isEmpty() || random.nextBoolean())) {
            observers.add(outside.get(random.nextInt(outside.size())));
        } else if (!observers.isEmpty()) {
            observers.remove(random.nextInt(observers.size()));
        }
        return new Ensemble(present.participants(), observers);
    }

    /** With the release before a server would keep the others from what {@link LevelDemand} demands of them. */
    private boolean mayJoin(int id) {
        boolean isThere = !cluster.gone().contains(id);
        return isThere
                && !cluster.ensemble().contains(id)
                && cluster.releases().levels(id).equals(Upgrades.PRESENT);
    }

    private void demand(List<ZnodeClient> administrators, Ensemble next, boolean isIncremental) {
        Change change = new Change(administrators, next, isIncremental);
        awaiter.await("a reconfig of " + administrators + " to succeed", change::hasSucceeded);
    }

    /** Asked for until it has succeeded. */
    private final class Change {
        private final List<ZnodeClient> administrators;
        private final Ensemble next;
        private final boolean isIncremental;
        private int turn;
        private boolean isAsked;
        private boolean hasSucceeded;
        private long againMicros;

        Change(List<ZnodeClient> administrators, Ensemble next, boolean isIncremental) {
            this.administrators = administrators;
            this.next = next;
            this.isIncremental = isIncremental;
        }

        /** Looked at after every event. */
        boolean hasSucceeded() {
            if (!hasSucceeded && !isAsked && events.nowMicros() >= againMicros) {
                ask();
            }
            return hasSucceeded;
        }

        private void ask() {
            ZnodeClient client = administrators.get(turn % administrators.size());
            turn++;
            if (client.isConnected() && !client.session().isClosing()) {
                isAsked = true;
                long version = ConfigurationOperations.ANY_VERSION;
                configurations.change(client, next, isIncremental, version, code -> ended(client, code));
            }
        }

        private void ended(ZnodeClient client, Code code) {
            InvariantViolated.check(
                    code == Code.OK || ASKS_AGAIN.contains(code),
                    "a reconfig of %s to %s, which is always allowed, was refused with %s",
                    client,
                    next,
                    code);
            isAsked = false;
            hasSucceeded = code == Code.OK;
            againMicros = events.nowMicros() + AGAIN_MICROS;
        }
    }
}
