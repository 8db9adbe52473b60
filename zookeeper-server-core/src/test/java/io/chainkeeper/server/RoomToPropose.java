package io.chainkeeper.server;

import io.chainkeeper.replica.Proposal;
import io.chainkeeper.server.proposal.ClientProposal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Makes the next write of a client wait, as it does where a replica's commands in progress are at their bound. */
public final class RoomToPropose {
    private CountDownLatch waiting;
    private CountDownLatch room;

    /** From now on there is no room for the next write; for the others there is. */
    public synchronized void lackForNextWrite() {
        waiting = new CountDownLatch(1);
        room = new CountDownLatch(1);
    }

    /** Waits until the write is there. */
    public void awaitWaiting() throws InterruptedException {
        CountDownLatch awaited;
        synchronized (this) {
            awaited = waiting;
        }
        if (!awaited.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no write waits for room");
        }
    }

    /** There is room again. */
    public synchronized void make() {
        room.countDown();
    }

    void await(Proposal proposal) {
        CountDownLatch lacking;
        synchronized (this) {
            if (waiting == null || waiting.getCount() == 0 || !(proposal instanceof ClientProposal)) {
                return;
            }
            waiting.countDown();
            lacking = room;
        }
        try {
            lacking.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
