package io.chainkeeper.simulation.host;

import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.time.Coroutine;
import java.util.function.BooleanSupplier;

/** When the parts of a replica work is up to the world. */
record WorldsPlan(ReplicaHost host, World world) implements DrivenScheduler.Plan {
    @Override
    public void plan(Part part, Reason reason, long nanos, Runnable piece) {
        world.workWaiting(host, part, reason, nanos, () -> host.runChecked(piece));
    }

    @Override
    public boolean isHeldUp(Part part, int ofDisk) {
        return world.isHeldUp(host, part, ofDisk);
    }

    @Override
    public void whenAnswered(int ofDisk, Runnable piece) {
        world.whenAnswered(host, ofDisk, () -> host.runChecked(piece));
    }

    @Override
    public boolean meanwhile() {
        boolean hasHappened = world.meanwhile(host);
        if (!host.isAlive()) {
            Coroutine.rethrow(NeverAnswered.processGone(host.id()));
        }
        return hasHappened;
    }

    @Override
    public void awaitOthers(Object lock, String what, BooleanSupplier condition) {
        host.threads().await(lock, what, condition);
    }

    @Override
    public boolean letWaitingGoOn() {
        return host.threads().letOneGoOn();
    }
}
