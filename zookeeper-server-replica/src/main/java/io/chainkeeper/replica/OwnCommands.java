package io.chainkeeper.replica;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.SizeLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The commands that this replica has proposed in its present incarnation and not yet applied: bounds their bytes,
 * numbers them, and finds the proposal of a command that comes back from the order.
 */
final class OwnCommands {
    private record InFlight(long sequence, Proposal proposal) {}

    private static final int MAX_COMMAND_BYTES = SizeLimits.commandBytes(SizeLimits.MAX_REQUEST_BYTES);

    private final int replicaId;
    private final long incarnation;
    private final OutstandingBytes proposed;
    private final OutstandingBytes offered;
    private final long[] nextSequence;
    private final List<Queue<InFlight>> inFlight = new ArrayList<>();
    private final Scheduler scheduler;
    private final Measure orderMicros;
    private final Latencies latencies = new Latencies();

    /**
     * @param replicaId this replica's id
     * @param incarnation number of this start
     * @param streams in how many streams commands are ordered
     * @param limits bound both rooms
     * @param scheduler of those who wait for room
     */
    OwnCommands(int replicaId, long incarnation, int streams, ReplicaLimits limits, Scheduler scheduler) {
        this.replicaId = replicaId;
        this.incarnation = incarnation;
        this.proposed = new OutstandingBytes(limits.maxOutstandingBytes(), scheduler);
        this.offered = new OutstandingBytes(limits.maxOfferedBytes(), scheduler);
        this.scheduler = scheduler;
        this.orderMicros = new Measure("order_micros", scheduler::nanoTime);
        this.nextSequence = new long[streams];
        Arrays.fill(nextSequence, 1);
        for (int i = 0; i < streams; i++) {
            inFlight.add(new ConcurrentLinkedQueue<>());
        }
    }

    int replicaId() {
        return replicaId;
    }

    long incarnation() {
        return incarnation;
    }

    int streams() {
        return nextSequence.length;
    }

    /**
     * Any thread: waits until there is room for a command, which takes its place then if it is still wanted.
     *
     * @param inputs where its place is; must not wait
     * @return whether it took its place
     * @throws ReplicaStoppedException if this replica stops meanwhile
     */
    boolean enter(Proposal proposal, Consumer<Proposal> inputs) {
        proposal.offered(false);
        return proposed.acquire(bytesOf(proposal), proposal::isWanted) && takePlace(proposal, inputs);
    }

    /**
     * Any thread: as {@link #enter}, in the room for what is offered, and without waiting for it.
     *
     * @return whether it took its place
     */
    boolean offer(Proposal proposal, Consumer<Proposal> inputs) {
        proposal.offered(true);
        return offered.tryAcquire(bytesOf(proposal)) && takePlace(proposal, inputs);
    }

    private static int bytesOf(Proposal proposal) {
        int bytes = proposal.command().length();
        InvariantViolated.check(
                bytes <= MAX_COMMAND_BYTES, "a command of %d bytes, the order takes %d", bytes, MAX_COMMAND_BYTES);
        return bytes;
    }

    private boolean takePlace(Proposal proposal, Consumer<Proposal> inputs) {
        boolean entered = proposal.enter(() -> inputs.accept(proposal));
        if (!entered) {
            release(proposal);
        }
        return entered;
    }

    private void release(Proposal proposal) {
        (proposal.isOffered() ? offered : proposed).release(proposal.command().length());
    }

    /** Those who wait for room are asked whether they are still wanted. */
    void reconsider() {
        proposed.reconsider();
    }

    /** Protocol host: gives a command its number and remembers its proposal, before the protocol sees the command. */
    ProposedCommand number(Proposal proposal) {
        long sequence = nextSequence[proposal.stream()]++;
        proposal.proposedAt(scheduler.nanoTime());
        inFlight.get(proposal.stream()).add(new InFlight(sequence, proposal));
        return new ProposedCommand(replicaId, incarnation, proposal.stream(), sequence, proposal.command());
    }

    /** Returns whether this replica has proposed a command in its present incarnation. */
    boolean contain(ProposedCommand command) {
        return command.proposer() == replicaId && command.incarnation() == incarnation;
    }

    /** Apply thread: forgets an own command that is applied now, and returns its proposal. */
    Proposal poll(ProposedCommand command) {
        InFlight next = inFlight.get(command.stream()).poll();
        InvariantViolated.check(
                next != null && next.sequence() == command.sequence(),
                "own command %d delivered, expected %s",
                command.sequence(),
                next == null ? "none" : next.sequence());
        release(next.proposal());
        latencies.writes().record(orderMicros.addMicrosSince(next.proposal().proposedNanos()));
        return next.proposal();
    }

    /** Returns the bytes of all own commands that have not been applied, with what each counts besides. */
    long outstandingBytes() {
        return proposed.used() + offered.used();
    }

    /** Returns for how long a thread has waited for room without any command being applied; 0 if none waits. */
    long stuckMillis() {
        return proposed.stuckMillis();
    }

    /** How long this replica's clients wait for the order; what waits there is recorded by who knows its end. */
    Latencies latencies() {
        return latencies;
    }

    /** Puts how long commands take from their number to their application. */
    void putGauges(Map<String, Long> gauges) {
        orderMicros.put(gauges);
    }

    /** Tells how much of the room for own commands is taken. */
    void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("own_command_bytes", proposed.used(), proposed.max(), Slack.ONE_COMMAND);
        occupancy.holds("own_offered_bytes", offered.used(), offered.max(), Slack.ONE_COMMAND);
    }

    /** Threads that wait for room, and those that ask for it from now on, are told that this replica stops. */
    void stop() {
        proposed.stop();
    }
}
