package io.chainkeeper.server.transfer;

/**
 * The bounds of a state transfer.
 *
 * @param chunkBytes longest part of a file in one answer, 1 to 1 MiB
 * @param checksumBytes longest part of a file in one checksum, 1 to 16 MiB
 * @param forcedBytes so many bytes of a file are fetched between two times that they are forced: at the end of a large
 *     file that would take long enough to count as idle. At least 1
 * @param receivers as many members can be served at the same time, at least 1
 */
public record TransferBounds(int chunkBytes, int checksumBytes, long forcedBytes, int receivers) {
    /** Most that an answer carries. */
    static final int MAX_CHUNK_BYTES = 1 << 20;

    /** Most that is read for one checksum. */
    static final int MAX_CHECKSUM_BYTES = 1 << 24;

    /** For so many members files are kept open, and the order: they receive, or start from what they got. */
    static final int MAX_KEPT = 64;

    /** Those of production. */
    public static final TransferBounds DEFAULT = new TransferBounds(MAX_CHUNK_BYTES, MAX_CHECKSUM_BYTES, 32 << 20, 4);

    /** Refuses what is out of range. */
    public TransferBounds {
        if (chunkBytes < 1
                || chunkBytes > MAX_CHUNK_BYTES
                || checksumBytes < 1
                || checksumBytes > MAX_CHECKSUM_BYTES
                || forcedBytes < 1
                || receivers < 1) {
            throw new IllegalArgumentException("chunk of " + chunkBytes + ", checksum of " + checksumBytes + ", forced "
                    + forcedBytes + ", receivers " + receivers);
        }
    }
}
