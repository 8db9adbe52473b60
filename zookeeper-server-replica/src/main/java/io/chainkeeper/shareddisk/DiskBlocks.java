package io.chainkeeper.shareddisk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A disk's blocks for a {@link SharedDiskFormat}; what goes wrong is an {@link UncheckedIOException}. */
public final class DiskBlocks implements SharedDiskFormat.Blocks {
    private final SharedDisk disk;

    /** @param disk open; whoever opened it closes it */
    public DiskBlocks(SharedDisk disk) {
        this.disk = disk;
    }

    @Override
    public ByteSlice read(long offset, int length) {
        try {
            return disk.read(offset, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void write(long offset, ByteSlice bytes) {
        try {
            disk.write(offset, bytes);
            disk.force();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
