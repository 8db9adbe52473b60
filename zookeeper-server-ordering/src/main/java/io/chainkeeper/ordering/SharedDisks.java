package io.chainkeeper.ordering;

/**
 * What protocols and hosts agree on about disks that several replicas share. A protocol that asks for none never hears
 * of any.
 *
 * <p>Duties of a host, for each disk:
 *
 * <ol>
 *   <li>Requests are carried out in the order asked for, each answered by one input, in that order. Between two inputs
 *       any number of answers may be missing.
 *   <li>{@link OrderingProtocol#onBlocksWritten} is given when the bytes are on stable storage: they survive a loss of
 *       power, and every read by anybody that begins later sees them. Until then a read may see the old bytes, the new
 *       ones, or some of both.
 *   <li>A read begins after {@link Effects#readBlocks} was asked for, never earlier, and never from a cache.
 *   <li>{@link OrderingProtocol#onDiskFailed} says that every request of the disk that is not answered yet never will
 *       be. Such a write may have been carried out, in whole or in part. A later request makes the host open the disk
 *       anew, which it does only where it finds the same disk; that request is carried out, or fails in the same way.
 *   <li>A write that was not answered takes effect before any later request of this replica to that disk does, or
 *       never. That holds across starts of the replica too.
 *   <li>One process at a time runs a replica.
 * </ol>
 *
 * <p>A protocol looks at what it reads as something that a crash may have torn: bytes that a write was changing may be
 * anything, bytes that it replaced by the same are what they were.
 */
public final class SharedDisks {
    /** Offsets and lengths of all requests are multiples of this. */
    public static final int BLOCK_BYTES = 4096;

    private SharedDisks() {}

    /**
     * Checks what every host demands of a request.
     *
     * @param disk number of the disk
     * @param disks how many the host has
     * @param offset first byte on the disk
     * @param length number of bytes
     * @throws InvariantViolated if there is no such disk, or no such request may be made
     */
    public static void check(int disk, int disks, long offset, long length) {
        InvariantViolated.check(disk >= 0 && disk < disks, "shared disk %d of %d", disk, disks);
        boolean isAligned = offset >= 0 && length > 0 && (offset | length) % BLOCK_BYTES == 0;
        InvariantViolated.check(
                isAligned, "%d bytes at %d of shared disk %d are not whole blocks", length, offset, disk);
    }
}
