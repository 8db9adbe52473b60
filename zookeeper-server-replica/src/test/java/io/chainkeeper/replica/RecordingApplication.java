package io.chainkeeper.replica;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** Remembers what it is given; waits or throws when a test wants it to. */
final class RecordingApplication implements Application {
    /** A command that this application cannot execute. */
    static final String POISON = "poison";

    /** One permit for each command that may be executed. */
    final Semaphore executions = new Semaphore(Integer.MAX_VALUE / 2);

    /** One permit for each batch that may end. */
    final Semaphore batchEnds = new Semaphore(Integer.MAX_VALUE / 2);

    /** The replica has asked for the state of another one. */
    final CountDownLatch stateNeeded = new CountDownLatch(1);

    private final ProposerTable proposers = new ProposerTable();
    private final List<String> events = new ArrayList<>();

    List<String> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    void record(String event) {
        synchronized (events) {
            events.add(event);
        }
    }

    @Override
    public long recoveredPosition() {
        return 0;
    }

    @Override
    public ProposerTable proposerTable() {
        return proposers;
    }

    @Override
    public Membership recoveredMembership() {
        return null;
    }

    @Override
    public void positionBegins(long position) {}

    @Override
    public void membershipChanged(long position, Membership membership) {}

    @Override
    public void apply(long position, ProposedCommand command, Proposal own) {
        executions.acquireUninterruptibly();
        String text = new String(command.command().toByteArray(), StandardCharsets.UTF_8);
        if (text.equals(POISON)) {
            throw new IllegalStateException("poisoned");
        }
        record(position + " " + text + (own == null ? "" : " own"));
    }

    @Override
    public void positionApplied(long position) {
        record(position + " applied");
    }

    @Override
    public void batchEnd() {
        batchEnds.acquireUninterruptibly();
    }

    @Override
    public void executionFailed() {
        record("failed");
    }

    @Override
    public void statusChanged(OrderingStatus status) {}

    @Override
    public void memberSilent(int member, boolean silent) {}

    @Override
    public void superseded(long incarnation) {
        record("superseded by " + incarnation);
    }

    @Override
    public void stateNeeded(int fromPeer, long position) {
        record("needs " + position + " from " + fromPeer);
        stateNeeded.countDown();
    }
}
