package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.guard.DiskSpaceGuard.Space;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** When writes are refused for want of space. */
public class DiskSpaceGuardTest {
    private static final Path DATA = Path.of("data");
    private static final Path LOG = Path.of("log");
    private static final long MIB = 1 << 20;

    private final Map<Path, Long> usable = new TreeMap<>(Map.of(DATA, 1000 * MIB, LOG, 1000 * MIB));
    private long total = 10_000 * MIB;
    private boolean failing;
    private int measurements;

    private DiskSpaceGuard watch(long reserveBytes) {
        return new DiskSpaceGuard(List.of(DATA, LOG, DATA), reserveBytes, 3, directory -> {
            measurements++;
            if (failing) {
                throw new IOException("no such device");
            }
            return new Space(usable.get(directory), total);
        });
    }

    @Test
    public void oneFileSystemBelowTheReserve_refusesUntilThereIsAQuarterMore() {
        DiskSpaceGuard watch = watch(64 * MIB);
        assertTrue(watch.admits(100));
        usable.put(LOG, 64 * MIB - 1);
        watch.measure();
        assertFalse(watch.admits(0));
        assertEquals(1, watch.gauges().get("disk_low").getAsLong());
        assertEquals(64 * MIB - 1, watch.gauges().get("disk_usable_bytes").getAsLong());
        usable.put(LOG, 80 * MIB - 1);
        watch.measure();
        assertFalse(watch.admits(0));
        usable.put(LOG, 80 * MIB);
        watch.measure();
        assertTrue(watch.admits(0));
        assertEquals(0, watch.gauges().get("disk_low").getAsLong());
    }

    @Test
    public void smallFileSystem_keepsATenth() {
        total = 100 * MIB;
        usable.put(DATA, 11 * MIB);
        DiskSpaceGuard watch = watch(64 * MIB);
        assertTrue(watch.admits(0));
        usable.put(DATA, 9 * MIB);
        watch.measure();
        assertFalse(watch.admits(0));
    }

    @Test
    public void manyWritesBetweenTwoMeasurements_doNotEatTheReserve() {
        usable.put(DATA, 70 * MIB);
        DiskSpaceGuard watch = watch(64 * MIB);
        int admitted = 0;
        while (watch.admits(100_000)) {
            admitted++;
        }
        assertEquals("two logs and three replicas", 6 * MIB / (6 * 100_256), admitted);
        watch.measure();
        assertTrue(watch.admits(100_000));
    }

    /** As three servers on one machine: none knows what the others let in. */
    @Test
    public void threeServersShareAFileSystem_andFillItFasterThanItIsMeasured_theReserveStays() {
        long[] shared = {364 * MIB};
        Queued background = new Queued();
        List<DiskSpaceGuard> servers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            DiskSpaceGuard guard =
                    new DiskSpaceGuard(List.of(DATA), 64 * MIB, 3, directory -> new Space(shared[0], total));
            guard.start(background, () -> {});
            servers.add(guard);
        }
        long copiesBytes = 2 * 3 * (65_536 + 256);
        boolean admits = true;
        while (admits) {
            admits = false;
            for (DiskSpaceGuard guard : servers) {
                if (guard.admits(65_536)) {
                    shared[0] -= copiesBytes;
                    admits = true;
                }
            }
            background.run();
        }
        assertTrue(shared[0] + " bytes are left", shared[0] >= 64 * MIB - 2 * copiesBytes);
        assertTrue(shared[0] + " bytes are left", shared[0] < 64 * MIB + copiesBytes);
    }

    /** Runs nothing by time. */
    private static final class Queued implements Background {
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

        void run() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }

        @Override
        public boolean execute(Runnable task) {
            return tasks.add(task);
        }

        @Override
        public void everyMillis(long periodMillis, Runnable task) {}

        @Override
        public void afterMillis(long delayMillis, Runnable task) {}

        @Override
        public void close() {}
    }

    @Test
    public void ampleRoom_isMeasuredSeldomUntilWritesHaveEatenIntoIt() {
        usable.put(DATA, 100_000 * MIB);
        usable.put(LOG, 6000 * MIB);
        total = 200_000 * MIB;
        DiskSpaceGuard watch = watch(64 * MIB);
        measurements = 0;
        for (int period = 0; period < 40; period++) {
            watch.measureIfDue();
        }
        assertEquals("of two file systems, every tenth period", 2 * 4, measurements);
        watch.admits(400 * MIB);
        watch.measureIfDue();
        assertEquals(2 * 5, measurements);
    }

    @Test
    public void littleRoom_isMeasuredEveryPeriod() {
        DiskSpaceGuard watch = watch(64 * MIB);
        measurements = 0;
        for (int period = 0; period < 5; period++) {
            watch.measureIfDue();
        }
        assertEquals("of two file systems", 2 * 5, measurements);
    }

    @Test
    public void spaceCannotBeFoundOut_nothingIsRefused() {
        failing = true;
        DiskSpaceGuard watch = watch(64 * MIB);
        assertTrue(watch.admits(100));
        assertTrue(watch.refusalOfFile(DATA, 1).contains("no such device"));
    }

    @Test
    public void snapshot_mustLeaveTheReserve() {
        DiskSpaceGuard watch = watch(64 * MIB);
        assertNull(watch.refusalOfFile(DATA, 936 * MIB));
        String refusal = watch.refusalOfFile(DATA, 936 * MIB + 1);
        assertTrue(refusal, refusal.startsWith("data has " + 1000 * MIB + " bytes left"));
    }
}
