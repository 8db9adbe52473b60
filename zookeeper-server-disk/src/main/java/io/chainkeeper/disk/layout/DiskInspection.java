package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import io.chainkeeper.ordering.SharedDisks;
import java.util.function.Consumer;

/** Says what is on a disk, and where it is damaged. */
final class DiskInspection {
    private final Blocks disk;
    private final Consumer<String> lines;
    private int damage;

    DiskInspection(Blocks disk, Consumer<String> lines) {
        this.disk = disk;
        this.lines = lines;
    }

    /** Returns how much damage there is. */
    int run(DiskFormat.Copies copies) {
        Superblock label = copies.label();
        lines.accept(String.format(
                "disk %d of %d of cluster %016x, id %016x, generation %d%s",
                label.number() + 1,
                label.diskIds().size(),
                label.clusterId(),
                label.diskId(),
                label.generation(),
                label.isWhole() ? "" : ", not filled to the end: it does not count"));
        lines.accept("places for " + label.slots() + " servers, rings of " + label.regionBytes() + " bytes");
        copy("first", copies.first(), label, 0);
        copy("second", copies.second(), label, label.layout().secondSuperblockOffset());
        for (int slot = 0; slot < label.slots(); slot++) {
            server(label, slot);
        }
        return damage;
    }

    private void copy(String which, Superblock copy, Superblock label, long at) {
        if (!label.equals(copy)) {
            damaged(
                    which + " copy of the superblock "
                            + (copy == null ? "damaged" : "of generation " + copy.generation()),
                    at);
        }
    }

    private void damaged(String what, long at) {
        damage++;
        lines.accept("DAMAGE at byte " + at + ": " + what);
    }

    private void server(Superblock label, int slot) {
        long at = label.layout().headerOffset(slot);
        ServerHeader header;
        try {
            header = ServerHeader.decode(disk.read(at, SharedDisks.BLOCK_BYTES), slot, label.diskId());
        } catch (DamagedBlockException e) {
            damaged(e.getMessage(), at);
            return;
        }
        String server = "server " + (slot + 1) + ": ";
        if (header.isBlank()) {
            lines.accept(server + "never here");
            return;
        }
        lines.accept(server + "start " + header.incarnation() + ", ballot " + header.ballot() + ", heartbeat "
                + header.heartbeat() + ", decided to " + header.decided() + ", checkpoint " + header.checkpoint()
                + ", freed to " + header.freed());
        ring(label, slot, header);
    }

    private void ring(Superblock label, int slot, ServerHeader header) {
        long[] positions = {0, 0, 0};
        RingScan scan = new RingScan(disk, label, slot, header.tail()).run(entry -> {
            if (!entry.isSkip()) {
                positions[0] = positions[2] == 0 ? entry.position() : Math.min(positions[0], entry.position());
                positions[1] = Math.max(positions[1], entry.position());
                positions[2]++;
            }
        });
        String entries = positions[2] == 0
                ? "no entries"
                : positions[2] + " entries, positions " + positions[0] + " to " + positions[1];
        lines.accept("  ring: " + entries + ", " + (scan.end() - header.tail()) + " of " + label.regionBytes()
                + " bytes, goes on at byte " + scan.at()
                + (scan.endsTorn() ? ", where a write was cut short" : ""));
    }
}
