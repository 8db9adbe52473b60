package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.ordering.SharedDisks;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** What lies on a shared disk, for hosts and tools. Stateless. */
public final class DiskFormat implements SharedDiskFormat {
    /** The key that lists the disks. */
    public static final String PATHS = "disk.paths";

    /** The key that says that all servers run on one machine. */
    public static final String ONE_MACHINE = "disk.oneMachine";

    /** The key of the number of servers that may take part. */
    public static final String SLOTS = "disk.slots";

    /** The key of the length of a ring. */
    public static final String REGION_BYTES = "disk.regionBytes";

    private static final String MAX_BATCH_BYTES = "disk.maxBatchBytes";
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;

    private final SettingKeys keys;

    /** @param keys of the protocol, with the four that are named here and {@code disk.maxBatchBytes} */
    public DiskFormat(SettingKeys keys) {
        this.keys = keys;
    }

    @Override
    public String pathsKey() {
        return PATHS;
    }

    @Override
    public String oneMachineKey() {
        return ONE_MACHINE;
    }

    @Override
    public String refusal(Map<String, String> settings, Set<Integer> servers, int commandBytes) {
        int slots = keys.number(settings, SLOTS);
        for (int server : servers) {
            if (server > slots) {
                return SLOTS + "=" + slots + " leaves no place for server " + server + ": give a number of at least "
                        + server + ", or that server a lower one";
            }
        }
        int disks = keys.text(settings, PATHS).split(",", -1).length;
        if (disks > Superblock.MAX_DISKS) {
            return PATHS + " lists " + disks + " disks; list at most " + Superblock.MAX_DISKS;
        }
        int region = keys.number(settings, REGION_BYTES);
        if (region % BLOCK != 0) {
            return REGION_BYTES + "=" + region + " is no multiple of " + BLOCK + "; give "
                    + (region / BLOCK + 1) * BLOCK;
        }
        int value = BatchCodec.BATCH_OVERHEAD_BYTES
                + Math.max(keys.number(settings, MAX_BATCH_BYTES), commandBytes + BatchCodec.COMMAND_OVERHEAD_BYTES);
        long least = DiskLayout.ENTRIES_PER_RING * RingEntry.bytesFor(value);
        if (region < least) {
            return REGION_BYTES + "=" + region + " is too small for batches of " + value + " bytes (jute.maxbuffer, "
                    + MAX_BATCH_BYTES + "); give at least " + least;
        }
        return null;
    }

    private DiskLayout layout(Map<String, String> settings) {
        return new DiskLayout(keys.number(settings, SLOTS), keys.number(settings, REGION_BYTES));
    }

    @Override
    public long diskBytes(Map<String, String> settings) {
        return layout(settings).diskBytes();
    }

    @Override
    public Found find(Blocks disk, Map<String, String> settings) {
        return Copies.read(disk, layout(settings)).found();
    }

    @Override
    public boolean isUsedBy(Blocks disk, Map<String, String> settings, int replicaId) {
        Superblock label = Copies.read(disk, layout(settings)).label();
        int slot = DiskLayout.slotOf(replicaId);
        try {
            ByteSlice block = disk.read(label.layout().headerOffset(slot), SharedDisks.BLOCK_BYTES);
            return !ServerHeader.decode(block, slot, label.diskId()).isBlank();
        } catch (DamagedBlockException e) {
            return true;
        }
    }

    @Override
    public void mend(Blocks disk, Map<String, String> settings) {
        Superblock label = Copies.read(disk, layout(settings)).label();
        write(disk, label);
    }

    @Override
    public void raise(Blocks disk, Map<String, String> settings, DiskLabel label) {
        Superblock present = Copies.read(disk, layout(settings)).label();
        Superblock raised = superblock(settings, label.ofDisk(present.number()));
        InvariantViolated.check(
                raised.generation() > present.generation()
                        && raised.clusterId() == present.clusterId()
                        && raised.diskId() == present.diskId(),
                "disk %d cannot bear generation %d",
                present.number() + 1,
                raised.generation());
        write(disk, raised);
    }

    /** The last block first: a crash in between leaves the disk what it was, as its first block says. */
    private static void write(Blocks disk, Superblock label) {
        disk.write(label.layout().secondSuperblockOffset(), label.encode());
        disk.write(0, label.encode());
    }

    private Superblock superblock(Map<String, String> settings, DiskLabel label) {
        DiskLayout layout = layout(settings);
        return new Superblock(
                label.clusterId(),
                label.number(),
                label.diskIds(),
                layout.slots(),
                layout.regionBytes(),
                label.generation(),
                label.isWhole());
    }

    @Override
    public void format(Blocks disk, Map<String, String> settings, DiskLabel label) {
        Superblock superblock = superblock(settings, label);
        DiskLayout layout = superblock.layout();
        for (int slot = 0; slot < layout.slots(); slot++) {
            ServerHeader blank = ServerHeader.blank(slot, label.diskId());
            disk.write(layout.headerOffset(slot), blank.encode(null));
        }
        write(disk, superblock);
    }

    @Override
    public int inspect(Blocks disk, Map<String, String> settings, Consumer<String> lines) {
        return new DiskInspection(disk, lines).run(Copies.read(disk, layout(settings)));
    }

    @Override
    public void fence(List<Blocks> others, Map<String, String> settings, DiskLabel label) {
        checkEnough(others, label);
        for (Blocks other : others) {
            int number = Copies.read(other, layout(settings)).label().number();
            write(other, superblock(settings, label.ofDisk(number)));
        }
    }

    private static void checkEnough(List<Blocks> others, DiskLabel label) {
        int needed = SharedDiskFormat.copiesNeeded(label.diskIds().size());
        InvariantViolated.check(
                others.size() >= needed, "a disk is replaced with %d others, %d are needed", others.size(), needed);
    }

    @Override
    public long fill(Blocks target, List<Blocks> others, Map<String, String> settings, DiskLabel label) {
        checkEnough(others, label);
        Superblock whole = superblock(settings, label);
        Superblock filling = new Superblock(
                whole.clusterId(),
                whole.number(),
                whole.diskIds(),
                whole.slots(),
                whole.regionBytes(),
                whole.generation(),
                false);
        write(target, filling);
        long bytes = 0;
        for (int slot = 0; slot < whole.slots(); slot++) {
            bytes += new SlotCopy(whole, slot, others).writeTo(target);
        }
        write(target, whole);
        return bytes;
    }

    /**
     * Both copies of the label of a disk.
     *
     * @param first null if it is damaged or not there
     * @param second likewise
     * @param reason why there is no first one
     * @param isBlank whether there is nothing at all in both places
     * @param expected by the settings
     */
    record Copies(Superblock first, Superblock second, String reason, boolean isBlank, DiskLayout expected) {
        static Copies read(Blocks disk, DiskLayout expected) {
            ByteSlice block = disk.read(0, BLOCK);
            String why = "";
            Superblock first = null;
            try {
                first = Superblock.decode(block);
            } catch (DamagedBlockException e) {
                why = e.getMessage();
            }
            // A disk that was formatted larger than the settings say may end before its second copy.
            boolean fits = first == null || first.layout().equals(expected);
            ByteSlice last = fits ? disk.read(expected.secondSuperblockOffset(), BLOCK) : block;
            Superblock second = null;
            try {
                second = Superblock.decode(last);
            } catch (DamagedBlockException e) {
                why = first == null ? why : e.getMessage();
            }
            return new Copies(first, second, why, isBlank(block) && isBlank(last), expected);
        }

        private static boolean isBlank(ByteSlice block) {
            for (int i = 0; i < block.length(); i++) {
                if (block.get(i) != 0) {
                    return false;
                }
            }
            return true;
        }

        /** The one that counts: of the later generation, or the one that is there; null if none is. */
        Superblock label() {
            if (first == null || second == null) {
                return first == null ? second : first;
            }
            return second.generation() > first.generation() ? second : first;
        }

        Found found() {
            Superblock label = label();
            if (label == null) {
                return new Found(null, isBlank, true, true, isBlank ? null : reason);
            }
            String problem = null;
            if (!label.layout().equals(expected)) {
                problem = "it was formatted with " + SLOTS + "=" + label.slots() + " and " + REGION_BYTES + "="
                        + label.regionBytes() + ", and cannot be used with " + expected.slots() + " and "
                        + expected.regionBytes();
            }
            DiskLabel said = new DiskLabel(
                    label.clusterId(), label.number(), label.diskIds(), label.generation(), label.isWhole());
            return new Found(said, false, !label.equals(first), !label.equals(second), problem);
        }
    }
}
