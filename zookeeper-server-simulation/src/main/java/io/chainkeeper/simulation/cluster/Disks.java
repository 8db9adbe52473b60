package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedLog;
import io.chainkeeper.simulation.time.EventQueue;

/** What the disks of all machines do when: records become stable, and what was asked for is read. */
final class Disks {
    /** A disk that hangs for writes reads, all the same. */
    private static final long MAX_LOG_READ_MICROS = 1_000_000;

    private final EventQueue events;
    private final Delays delays;

    Disks(EventQueue events, Delays delays) {
        this.events = events;
        this.delays = delays;
    }

    /** A log holds records that are not stable: they are forced, unless others are being forced already. */
    void recordsWaiting(Machine machine, ReplicaHost host) {
        if (!machine.syncing) {
            machine.syncing = true;
            events.after(delays.handOverMicros(), () -> sync(machine, host));
        }
    }

    private void sync(Machine machine, ReplicaHost host) {
        if (!host.isAlive()) {
            return;
        }
        SimulatedLog log = host.replica().log();
        long target = log.beginSync();
        events.after(delays.syncMicros() * machine.diskFactor, () -> {
            if (host.isAlive()) {
                log.completeSync(target);
                events.after(delays.handOverMicros(), () -> tellDurable(machine, host, target));
            }
        });
    }

    private void tellDurable(Machine machine, ReplicaHost host, long target) {
        if (!host.isAlive()) {
            return;
        }
        host.durable(target);
        if (host.replica().log().hasUnstable()) {
            sync(machine, host);
        } else {
            machine.syncing = false;
        }
    }

    /** A protocol asked for records of its log. */
    void logReadWanted(Machine machine, ReplicaHost host, long fromPosition, int maxBytes) {
        long micros = Math.min(delays.logReadMicros() * machine.diskFactor, MAX_LOG_READ_MICROS);
        events.after(micros, () -> {
            if (host.isAlive()) {
                host.logRead(fromPosition, host.replica().log().read(fromPosition, maxBytes));
            }
        });
    }
}
