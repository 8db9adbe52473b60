package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.List;
import java.util.SplittableRandom;

/**
 * State transfer: a durable checkpoint of the source, not always its newest, travels in the background. If either end
 * stops meanwhile, the disk of the source gives no answer, or they cannot reach each other, nothing comes of it. Then
 * the source that was named last meanwhile is asked, as servers do, or the replica will ask again.
 */
final class StateTransfers {
    /** So long nobody else is asked, until a source that does not answer is given up. */
    private static final long UNANSWERED_MICROS = 1_000_000;

    /**
     * What a protocol cannot go on without.
     *
     * @param fromPeer the source
     * @param position the first that the order can bring again
     */
    record Need(int fromPeer, long position) {}

    private final EventQueue events;
    private final SplittableRandom random;
    private final Delays delays;
    private final Trace trace;
    private final Cluster cluster;

    /**
     * @param events virtual time
     * @param random what is drawn
     * @param delays how long a transfer takes
     * @param trace told of each
     * @param cluster between whose replicas states travel
     */
    StateTransfers(EventQueue events, SplittableRandom random, Delays delays, Trace trace, Cluster cluster) {
        this.events = events;
        this.random = random;
        this.delays = delays;
        this.trace = trace;
        this.cluster = cluster;
    }

    /** A protocol cannot go on without the state of another replica. */
    void stateWanted(Machine machine, ReplicaHost host, int fromPeer, long position) {
        ReplicaHost source = cluster.host(fromPeer);
        if (machine.transferring) {
            if (fromPeer != machine.transferringFrom) {
                machine.neededMeanwhile = new Need(fromPeer, position);
            }
            return;
        }
        if (source == null || !cluster.network().reaches(fromPeer, host.id())) {
            return;
        }
        if (cluster.hangingDisks().readsNothing(fromPeer)) {
            begin(machine, fromPeer);
            events.after(UNANSWERED_MICROS, () -> failed(machine, host));
            return;
        }
        List<Checkpoint> sufficient = source.replica().checkpoints().stream()
                .filter(checkpoint -> checkpoint.position() >= position - 1 && checkpoint.position() > host.position())
                .toList();
        if (sufficient.isEmpty()) {
            if (source.replica().follows(HostRule.STATE_IS_WRITTEN_WHEN_ASKED_FOR)) {
                source.takeCheckpoint();
            }
            return;
        }
        Checkpoint state = sufficient.get(random.nextInt(sufficient.size()));
        ByteSlice promise = source.promise();
        begin(machine, fromPeer);
        events.after(delays.stateMicros(state.position() - host.position()), () -> {
            if (host.isAlive()) {
                arrived(machine, host, source, state, promise);
            }
        });
    }

    private static void begin(Machine machine, int fromPeer) {
        machine.transferring = true;
        machine.transferringFrom = fromPeer;
        machine.neededMeanwhile = null;
    }

    private void failed(Machine machine, ReplicaHost host) {
        if (host.isAlive()) {
            Need next = machine.neededMeanwhile;
            machine.transferring = false;
            machine.neededMeanwhile = null;
            if (next != null) {
                stateWanted(machine, host, next.fromPeer(), next.position());
            }
        }
    }

    private void arrived(Machine machine, ReplicaHost host, ReplicaHost source, Checkpoint state, ByteSlice promise) {
        boolean reaches = source.isAlive() && cluster.network().reaches(source.id(), host.id());
        boolean answers = !cluster.hangingDisks().readsNothing(source.id());
        if (!reaches || !answers) {
            failed(machine, host);
            return;
        }
        machine.transferring = false;
        if (state.position() > host.position()) {
            trace.record(host.id(), "installs state of", source.id(), "at position " + state.position());
            cluster.crash(host.id());
            host.replica().install(state, promise);
            cluster.start(host.id());
        }
    }
}
