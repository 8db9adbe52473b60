package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.StoredLog;
import io.chainkeeper.simulation.time.EventQueue;
import java.io.IOException;
import java.util.function.BiConsumer;

/** What the disks of all machines do when: records become stable, and what was asked for is read. */
final class Disks {
    /** A disk that hangs for writes reads, all the same. */
    private static final long MAX_LOG_READ_MICROS = 1_000_000;

    private final EventQueue events;
    private final Delays delays;
    private final BiConsumer<ReplicaHost, IOException> whenLogFails;

    Disks(EventQueue events, Delays delays, BiConsumer<ReplicaHost, IOException> whenLogFails) {
        this.events = events;
        this.delays = delays;
        this.whenLogFails = whenLogFails;
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
        StoredLog log = host.replica().log();
        try {
            long target = log.beginSync();
            events.after(delays.syncMicros() * machine.diskFactor, () -> completeSync(machine, host, log, target));
        } catch (IOException e) {
            whenLogFails.accept(host, e);
        }
    }

    private void completeSync(Machine machine, ReplicaHost host, StoredLog log, long target) {
        if (!host.isAlive()) {
            return;
        }
        try {
            log.completeSync(target);
            events.after(delays.handOverMicros(), () -> tellDurable(machine, host, target));
        } catch (IOException e) {
            whenLogFails.accept(host, e);
        }
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
                try {
                    host.logRead(fromPosition, host.replica().log().read(fromPosition, maxBytes));
                } catch (IOException e) {
                    whenLogFails.accept(host, e);
                }
            }
        });
    }
}
