package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.shareddisk.DiskSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The shared disks as the protocol host uses them: a {@link DiskWorker} for each, whose answers are inputs of the
 * protocol. Without disks it is nothing. Requests come from one thread at a time.
 */
final class HostedDisks {
    private final List<DiskWorker> workers = new ArrayList<>();
    private final Scheduler scheduler;

    /**
     * @param sources open the disks, in the order of their numbers; none if the protocol has no use for disks
     * @param replicaId for the names of the workers
     * @param inputs take an input of the protocol; any thread
     * @param failure told if a worker cannot go on
     * @param maxWaitingBytes bytes of requests that may wait for one of them
     * @param scheduler of the workers
     */
    HostedDisks(
            List<DiskSource> sources,
            int replicaId,
            Consumer<Mailbox.Input> inputs,
            FailureHandler failure,
            long maxWaitingBytes,
            Scheduler scheduler) {
        this.scheduler = scheduler;
        Answers answers = new Answers(inputs);
        for (DiskSource source : sources) {
            int number = workers.size();
            String name = "shared-disk-" + number + "-of-" + replicaId;
            workers.add(new DiskWorker(number, source, answers, failure, maxWaitingBytes, name, scheduler));
        }
    }

    void start() {
        workers.forEach(DiskWorker::start);
    }

    void write(int disk, long offset, ByteSlice bytes) {
        checked(disk, offset, bytes.length()).write(offset, bytes);
    }

    void read(int disk, long offset, int length) {
        checked(disk, offset, length).read(offset, length);
    }

    private DiskWorker checked(int disk, long offset, int length) {
        SharedDisks.check(disk, workers.size(), offset, length);
        return workers.get(disk);
    }

    void putGauges(Map<String, Long> gauges) {
        workers.forEach(worker -> worker.putGauges(gauges));
    }

    /** Tells how much waits for each of them. */
    void tellOccupancy(Occupancy occupancy) {
        workers.forEach(worker -> worker.tellOccupancy(occupancy));
    }

    /** Ends all workers but those whose disks hang; what waits is dropped. */
    void close() throws InterruptedException {
        workers.forEach(DiskWorker::stop);
        long stoppedNanos = scheduler.nanoTime();
        for (DiskWorker worker : workers) {
            worker.awaitEnd(DiskWorker.HANGS_NANOS - (scheduler.nanoTime() - stoppedNanos));
        }
    }

    /** What a disk answers becomes an input. */
    private final class Answers implements DiskWorker.Listener {
        private final Consumer<Mailbox.Input> inputs;

        private Answers(Consumer<Mailbox.Input> inputs) {
            this.inputs = inputs;
        }

        @Override
        public void written(int disk, long offset, int length) {
            inputs.accept(protocol -> protocol.onBlocksWritten(disk, offset, length));
        }

        @Override
        public void read(int disk, long offset, ByteSlice bytes) {
            inputs.accept(protocol -> protocol.onBlocksRead(disk, offset, bytes));
        }

        @Override
        public void failed(int disk, String reason) {
            inputs.accept(protocol -> {
                // First: what the protocol asks for because of this is a new attempt.
                workers.get(disk).resume();
                protocol.onDiskFailed(disk, reason);
            });
        }
    }
}
