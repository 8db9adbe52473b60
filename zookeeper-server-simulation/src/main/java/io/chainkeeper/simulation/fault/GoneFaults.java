package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What never comes back, also not when faults have stopped: servers, or their own disks under processes that live on,
 * as many as the others can do without; and shared disks, a minority of them. Disks may also go on, so slowly that
 * nobody is to be demanded anything who has them.
 */
final class GoneFaults {
    /** Others have missed a leader by then, and finished its segment. */
    private static final long FINISHED_MICROS = 1_000_000;

    private final Cluster cluster;
    private final MembershipFaults membership;
    private final Workload workload;
    private final Stories stories;

    /**
     * @param cluster that suffers
     * @param membership knows who can be done without
     * @param workload some of whose clients are gone with their server
     * @param stories how it is told that somebody does not see who is gone
     */
    GoneFaults(Cluster cluster, MembershipFaults membership, Workload workload, Stories stories) {
        this.cluster = cluster;
        this.membership = membership;
        this.workload = workload;
        this.stories = stories;
    }

    /** A server, its own disk, or a shared disk is gone, if that may be; returns whether it is. */
    boolean begin(Fault fault, SplittableRandom random) {
        return switch (fault) {
            case SHARED_DISK_GONE -> sharedDiskGone(random);
            case GONE_UNSEEN -> goneUnseen(random);
            case SLOW_FOR_GOOD -> slowForGood(random);
            default -> serverGone(fault == Fault.HANGS_FOR_GOOD, random);
        };
    }

    /**
     * While all observers are down a leader is gone, the next one finishes what it has left open, and is gone too. The
     * observers' commands may be for that leader, and nobody tells them that it proposes no more.
     */
    private boolean goneUnseen(SplittableRandom random) {
        List<Integer> left = new ArrayList<>(cluster.ensemble().participants());
        left.removeAll(cluster.gone());
        int index = random.nextInt(left.size());
        Integer leader = left.get(index);
        Integer next = left.get((index + 1) % left.size());
        if (!membership.mayBeGone(leader)) {
            return false;
        }
        List<Integer> observers = cluster.ensemble().observers();
        observers.forEach(cluster::crash);
        crashForGood(leader, random);
        stories.later(FINISHED_MICROS + random.nextLong(FINISHED_MICROS), () -> {
            if (membership.mayBeGone(next)) {
                crashForGood(next, random);
            }
            observers.forEach(cluster::start);
        });
        return true;
    }

    private void crashForGood(Integer id, SplittableRandom random) {
        cluster.gone().add(id);
        workload.goneForGood(id, random);
        cluster.crash(id);
    }

    /**
     * One participant more, or its disk only, if those that are left can decide without all that are gone for good; at
     * times an observer.
     */
    private boolean serverGone(boolean onlyDisk, SplittableRandom random) {
        List<Integer> left = new ArrayList<>(cluster.ensemble().participants());
        left.removeAll(cluster.gone());
        Integer next = left.get(random.nextInt(left.size()));
        List<Integer> observers = new ArrayList<>(cluster.ensemble().observers());
        observers.removeAll(cluster.gone());
        if (!observers.isEmpty() && random.nextInt(3) == 0) {
            next = observers.get(random.nextInt(observers.size()));
        }
        boolean isEarly = cluster.sharedDisks().count() > 0 && !workload.isFormed();
        if (isEarly || !membership.mayBeGone(next)) {
            return false;
        }
        cluster.gone().add(next);
        workload.goneForGood(next, random);
        if (onlyDisk && cluster.replica(next).isRunning()) {
            Unanswered what = HangFaults.drawUnanswered(random.split());
            cluster.hangingDisks().hangOwn(next, what, HangingDisks.FOR_GOOD);
        } else {
            cluster.crash(next);
        }
        return true;
    }

    /**
     * The disks of one participant more become slow and stay so, mostly of one that leads or stands, if those that are
     * left can decide without.
     */
    private boolean slowForGood(SplittableRandom random) {
        List<Integer> left = new ArrayList<>(cluster.ensemble().participants());
        left.removeAll(cluster.gone());
        List<Integer> leading = left.stream().filter(this::leadsOrStands).toList();
        List<Integer> chosen = leading.isEmpty() || random.nextInt(4) == 0 ? left : leading;
        Integer next = chosen.get(random.nextInt(chosen.size()));
        boolean isEarly = cluster.sharedDisks().count() > 0 && !workload.isFormed();
        if (isEarly || !membership.mayBeGone(next)) {
            return false;
        }
        cluster.gone().add(next);
        workload.goneForGood(next, random);
        cluster.delays().brownOut(next, random, true);
        return true;
    }

    private boolean leadsOrStands(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null
                && (host.status().role() == Role.LEADER || host.status().role() == Role.LOOKING);
    }

    /** One of the shared disks more, as long as those that are left are a majority and whole. */
    private boolean sharedDiskGone(SplittableRandom random) {
        int number = random.nextInt(cluster.sharedDisks().count());
        boolean hangs = random.nextBoolean();
        if (!cluster.sharedDisks().leave(number, hangs)) {
            return false;
        }
        if (hangs) {
            for (int id : cluster.members()) {
                cluster.hangingDisks().hangShared(id, number, HangingDisks.FOR_GOOD);
            }
        }
        return true;
    }
}
