package io.chainkeeper.simulation.disk;

import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;

/** How much room a {@link SimulatedDisk} has. */
final class DiskStore extends FileStore {
    private static final int BLOCK_BYTES = 4096;

    /** More than any run writes. */
    private static final long TOTAL_BYTES = 1L << 40;

    private final SimulatedDisk disk;

    DiskStore(SimulatedDisk disk) {
        this.disk = disk;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public String type() {
        return DiskProvider.SCHEME;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() {
        return TOTAL_BYTES;
    }

    @Override
    public long getUsableSpace() {
        return disk.isFull() ? 0 : TOTAL_BYTES;
    }

    @Override
    public long getBlockSize() {
        return BLOCK_BYTES;
    }

    @Override
    public long getUnallocatedSpace() {
        return getUsableSpace();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return false;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return false;
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) {
        throw new UnsupportedOperationException(attribute);
    }
}
