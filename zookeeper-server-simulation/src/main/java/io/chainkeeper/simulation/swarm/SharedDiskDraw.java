package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Draws what is special about runs whose replicas share disks: few servers, small rings, faults of disks. */
final class SharedDiskDraw {
    private static final String REGION_BYTES = "disk.regionBytes";
    private static final String BATCH_BYTES = "disk.maxBatchBytes";
    private static final int SMALLEST_BATCH_BYTES = 1024;
    private static final int SLOTS = 6;
    private static final int SMALLEST_REGION_BYTES = 256 << 10;
    private static final int LARGEST_REGION_BYTES = 16 << 20;
    private static final int BLOCK_BYTES = 4096;

    private static final Set<Fault> OF_SHARED_DISKS = Set.of(
            Fault.SHARED_DISK_DIES,
            Fault.SHARED_DISK_LOST,
            Fault.SHARED_DISK_CUT,
            Fault.SHARED_DISKS_SLOW,
            Fault.STALL_AT_DISK);

    private static final Set<Fault> BESIDE_STALLS =
            Set.of(Fault.CRASH_AT_CHANGE, Fault.PAUSE, Fault.RECONFIGURE, Fault.SLOW_LINK, Fault.DOWN_FOR_GOOD);

    /** One has led, one leads, and one finds what both have left. */
    private static final int OF_OVERHANG = 3;

    private final SplittableRandom random;
    private final OrderingProtocolFactory factory;
    private int participants;

    SharedDiskDraw(SplittableRandom random, OrderingProtocolFactory factory) {
        this.random = random;
        this.factory = factory;
    }

    private int pick(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /**
     * Two or three who vote, at times one more who watches, mostly.
     *
     * @param least how many vote at least
     */
    Ensemble ensemble(int least) {
        participants = Math.max(least, pick(1, 2, 2, 2, 2, 3, 3, 3));
        int configured = participants + pick(0, 0, 0, 1);
        return new Ensemble(
                IntStream.rangeClosed(1, participants).boxed().toList(),
                IntStream.rangeClosed(participants + 1, configured).boxed().toList());
    }

    /**
     * Adds faults of shared disks to those of a run. A third of the runs are about servers that stand still in the
     * middle of something, and links that are down, so that only disks tell; little else goes wrong there.
     *
     * @param faults of the run, with how long it is from one to the next, mostly, in microseconds
     * @param unitMicros of these times
     * @param application above the order
     */
    void faults(Map<Fault, Long> faults, long unitMicros, SimulatedApplication application) {
        if (application == SimulatedApplication.OUTDATED) {
            faults.clear();
            drawStory(faults);
            return;
        }
        if (random.nextInt(3) == 0) {
            faults.keySet().retainAll(BESIDE_STALLS);
            faults.put(Fault.STALL_AT_DISK, (long) pick(50_000, 100_000, 300_000));
            faults.put(Fault.ISOLATE, (long) pick(100_000, 300_000, 1_000_000));
            faults.put(Fault.LATE_WRITES, (long) pick(5_000, 50_000));
            return;
        }
        for (Fault fault : new TreeSet<>(OF_SHARED_DISKS)) {
            if (random.nextInt(5) < 2) {
                faults.put(fault, unitMicros * (1 + random.nextInt(3)));
            }
        }
        faults.put(Fault.LATE_WRITES, (long) pick(5_000, 50_000, 500_000));
    }

    private void drawStory(Map<Fault, Long> faults) {
        int story = random.nextInt(3);
        if (story == 0 && participants == OF_OVERHANG) {
            faults.put(Fault.OVERHANG, 200_000L);
        } else if (story == 1 && participants > 1) {
            faults.put(Fault.DEPOSED_AT_DISK, 200_000L);
        } else {
            otherDisks(faults);
        }
    }

    /** The story takes time, so little else goes wrong. */
    private void otherDisks(Map<Fault, Long> faults) {
        faults.put(Fault.OTHER_DISKS, 200_000L);
        if (random.nextBoolean()) {
            faults.put(Fault.LATE_WRITES, (long) pick(5_000, 50_000, 500_000));
        }
        if (random.nextInt(3) == 0) {
            faults.put(Fault.RECONFIGURE, (long) pick(200_000, 1_000_000));
        }
    }

    /** Draws the disks, and settles the settings that say how they are. */
    SharedDiskOptions draw(Map<String, String> settings) {
        SharedDiskOptions options = new SharedDiskOptions(pick(3, 3, 3, 5), pick(300, 2_000, 10_000, 40_000));
        SharedDiskFormat format = factory.sharedDisks();
        settings.putAll(SharedDiskArray.naming(options.count(), format, settings));
        settings.put("disk.slots", Integer.toString(SLOTS));
        int region = pick(SMALLEST_REGION_BYTES, SMALLEST_REGION_BYTES, 1 << 20, LARGEST_REGION_BYTES);
        while (refusal(format, settings, region) != null) {
            region *= 2;
        }
        settings.put(REGION_BYTES, Integer.toString(region));
        return options;
    }

    /** Rings that hold all of a run: while a member is gone, they must hold what it has no checkpoint of. */
    static void widenRings(Map<String, String> settings) {
        settings.merge(
                REGION_BYTES,
                Integer.toString(LARGEST_REGION_BYTES),
                (drawn, large) -> Integer.parseInt(drawn) > LARGEST_REGION_BYTES ? drawn : large);
    }

    /** Rings that go round soon: values are short, and each takes a block. */
    static void narrowRings(SharedDiskFormat format, Map<String, String> settings) {
        settings.put(BATCH_BYTES, Integer.toString(SMALLEST_BATCH_BYTES));
        int region = SMALLEST_REGION_BYTES;
        while (refusal(format, settings, region) != null) {
            region *= 2;
        }
    }

    /** What {@code disk.regionBytes} was drawn as. */
    static long regionBytes(Map<String, String> settings) {
        return Long.parseLong(settings.get(REGION_BYTES));
    }

    private static String refusal(SharedDiskFormat format, Map<String, String> settings, int regionBytes) {
        settings.put(REGION_BYTES, Integer.toString(regionBytes));
        return format.refusal(settings, Set.copyOf(List.of(1, SLOTS)), BLOCK_BYTES);
    }
}
