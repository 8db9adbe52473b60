package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.DrivenScheduler;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.host.NeverAnswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.Coroutine;
import java.util.ArrayList;
import java.util.List;

/** When the parts of a server work that are above the order. Before there is a host nothing is done. */
final class ServerPlan implements DrivenScheduler.Plan {
    private final Cluster cluster;
    private final Runnable behindEach;
    private final List<Runnable> beforeHost = new ArrayList<>();
    private ReplicaHost host;

    /**
     * @param place where the server lives
     * @param behindEach looks at the server behind each piece of its work
     */
    ServerPlan(ServerPlace place, Runnable behindEach) {
        this.cluster = place.cluster();
        this.behindEach = behindEach;
    }

    /** There is a host. */
    void hostedBy(ReplicaHost ready) {
        host = ready;
    }

    /** What has waited for a host is planned. */
    void begin() {
        beforeHost.forEach(Runnable::run);
        beforeHost.clear();
    }

    @Override
    public void plan(Part part, Reason reason, long nanos, Runnable piece) {
        if (host == null) {
            beforeHost.add(() -> plan(part, reason, nanos, piece));
        } else {
            cluster.later(host, cluster.pieceMicros(host, part, reason, nanos), untilItEnds(piece));
        }
    }

    @Override
    public boolean isHeldUp(Part part, int disk) {
        return host != null && cluster.isHeldUp(host, part, disk);
    }

    @Override
    public void whenAnswered(int disk, Runnable piece) {
        cluster.whenAnswered(host, disk, untilItEnds(piece));
    }

    @Override
    public boolean meanwhile() {
        boolean hasHappened = host != null && cluster.meanwhile(host);
        if (host != null && !host.isAlive()) {
            Coroutine.rethrow(NeverAnswered.processGone(host.id()));
        }
        return hasHappened;
    }

    @Override
    public boolean letWaitingGoOn() {
        return host != null && host.threads().letOneGoOn();
    }

    /** What waits in the middle of it while its process ends comes to nothing. */
    private Runnable untilItEnds(Runnable piece) {
        return () -> NeverAnswered.in(() -> {
            piece.run();
            behindEach.run();
        });
    }
}
