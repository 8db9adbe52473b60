package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a disk has not recorded of itself: it hangs as soon as it is to record its number, or that it founds the
 * cluster. Then its server crashes, and is another one when it comes back. Others that had counted on what it was would
 * wait for it for ever.
 *
 * <ul>
 *   <li>A joiner: one server is the whole ensemble, and a second one, which has never run, is to join it. It crashes
 *       when it has been admitted, at the latest after some time.
 *   <li>A founder: its links break meanwhile, so that it introduces itself once more.
 * </ul>
 */
final class UnrecordedFaults {
    private static final String DISK_RECORD = "kind " + ReplicaIdentity.DISK + " ";
    private static final long HOLD_MICROS = 1_500_000;
    private static final long MOST_FOUNDING_MICROS = 400_000;
    private static final long MOST_DOWN_MICROS = 50_000;

    private final Cluster cluster;
    private final Stories stories;
    private SplittableRandom random;
    private boolean busy;
    private boolean isAwaited;
    private int leader;
    private int joiner;

    /** What the story of the next founder draws; null if none is told. */
    private SplittableRandom ofFounder;

    /**
     * @param cluster that suffers
     * @param stories how they are told
     */
    UnrecordedFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
    }

    /** A replica appends a record. */
    void appends(int replica, Object words) {
        boolean isOfDisk = (isAwaited || ofFounder != null) && words.toString().startsWith(DISK_RECORD);
        if (isOfDisk && ofFounder != null) {
            founds(replica, ofFounder);
            ofFounder = null;
        } else if (isOfDisk && replica == joiner) {
            isAwaited = false;
            cluster.hangingDisks().hangOwn(joiner, Unanswered.WRITES, 2 * HOLD_MICROS);
        }
    }

    // ---------------------------------------------------------------- a founder

    /** Whoever records next what its disk is is the one. */
    void awaitFounder(SplittableRandom ofFault) {
        ofFounder = ofFault;
    }

    private void founds(int replica, SplittableRandom ofFault) {
        if (!cluster.hangingDisks().hangOwn(replica, Unanswered.WRITES, HOLD_MICROS)) {
            return;
        }
        long lasts = 1 + ofFault.nextLong(MOST_FOUNDING_MICROS);
        stories.later(
                ofFault.nextLong(lasts),
                () -> cluster.members().stream()
                        .filter(other -> other != replica)
                        .forEach(other -> cluster.network().breakLink(replica, other)));
        stories.later(lasts, () -> {
            if (cluster.crash(replica)) {
                stories.reached(Fault.FOUND_UNRECORDED);
            }
            startAgain(replica, ofFault, () -> {});
        });
    }

    // ---------------------------------------------------------------- a joiner

    /** Begins, unless more than one vote or may come to, that one does not lead, all have run, or one is told. */
    void join(SplittableRandom ofFault) {
        List<Integer> members = cluster.checker().membership().replicaIds();
        boolean isAlone = cluster.ensembles().known().stream()
                .allMatch(known -> known.participants().equals(members));
        if (busy || members.size() != 1 || !isAlone || !stories.leads(members.get(0))) {
            return;
        }
        leader = members.get(0);
        List<Integer> others = cluster.members().stream()
                .filter(id -> cluster.replica(id).incarnation() == 0)
                .toList();
        if (others.isEmpty()) {
            return;
        }
        busy = true;
        random = ofFault;
        joiner = others.get(random.nextInt(others.size()));
        isAwaited = true;
        want(List.of(leader, joiner));
        stories.await(HOLD_MICROS, this::isAdmitted, this::forget, this::forget);
    }

    private void want(List<Integer> participants) {
        List<Integer> observers = new ArrayList<>(cluster.ensemble().observers());
        observers.removeAll(participants);
        cluster.ensembles().wanted(new Ensemble(participants, observers), random);
    }

    private boolean isAdmitted() {
        return cluster.checker().membership().contains(joiner);
    }

    private void forget() {
        ReplicaHost host = cluster.host(joiner);
        if (host != null && host.status().leader() == leader) {
            stories.reached(Fault.JOIN_UNRECORDED);
        }
        isAwaited = false;
        cluster.crash(joiner);
        startAgain(joiner, random, () -> stories.await(HOLD_MICROS, this::isAdmitted, this::leaveAlone, this::end));
    }

    /** So that it can be told of another one. */
    private void leaveAlone() {
        end();
        want(List.of(leader));
    }

    private void end() {
        busy = false;
    }

    private void startAgain(int replica, SplittableRandom ofStart, Runnable started) {
        cluster.hangingDisks().answerOwn(replica);
        stories.later(ofStart.nextLong(MOST_DOWN_MICROS), () -> {
            cluster.start(replica);
            started.run();
        });
    }
}
