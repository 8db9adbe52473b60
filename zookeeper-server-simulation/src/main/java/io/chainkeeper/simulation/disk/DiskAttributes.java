package io.chainkeeper.simulation.disk;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** What is known of a file or directory in memory. It has no times: a run does not depend on any. */
record DiskAttributes(boolean isDirectory, long size) implements BasicFileAttributes {
    private static final FileTime NO_TIME = FileTime.fromMillis(0);

    static DiskAttributes of(DiskNode node) {
        return node instanceof DiskFile file ? new DiskAttributes(false, file.length()) : new DiskAttributes(true, 0);
    }

    @Override
    public FileTime lastModifiedTime() {
        return NO_TIME;
    }

    @Override
    public FileTime lastAccessTime() {
        return NO_TIME;
    }

    @Override
    public FileTime creationTime() {
        return NO_TIME;
    }

    @Override
    public boolean isRegularFile() {
        return !isDirectory;
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return false;
    }

    @Override
    public Object fileKey() {
        return null;
    }
}
