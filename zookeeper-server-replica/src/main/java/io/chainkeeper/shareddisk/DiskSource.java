package io.chainkeeper.shareddisk;

import java.io.IOException;

/** Opens one of the disks that an ensemble shares, again and again if it fails. Used by one thread at a time. */
@FunctionalInterface
public interface DiskSource {
    /**
     * Opens the disk, and makes sure that it is the one that is meant.
     *
     * @return the disk, which the caller closes
     * @throws IOException if it cannot be used, or is another one; one line that names it
     */
    SharedDisk open() throws IOException;
}
