package io.chainkeeper.log;

import io.chainkeeper.release.NewerFormatException;
import io.chainkeeper.release.Release;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The first bytes of a segment file, big-endian:
 *
 * <pre>
 *   0  long  magic
 *   8  int   format version
 *  12  int   segment number
 *  16  long  salt of the record checksums
 *  24  int   where the records of the segment before this one end
 *  28  int   where the metadata records end that the segment began with
 *  32  the release that wrote it, see {@link Release#putName}; zeros in those before 0.2.0
 *  56  zeros
 *  60  int   CRC32C of bytes 0 to 59
 * </pre>
 *
 * Magic, format version, release and checksum have these places in all versions.
 *
 * @param number of the segment, from 1
 * @param salt random, part of every record's checksum
 * @param previousEnd where the records of segment {@code number - 1} end
 * @param metadataEnd where the copies of the metadata end; they were forced before the file got its name
 */
record SegmentHeader(int number, long salt, int previousEnd, int metadataEnd) {
    /** Size on disk. */
    static final int BYTES = 64;

    private static final long MAGIC = 0x434B_4143_4C4F_4731L;
    private static final int FORMAT_VERSION = 1;
    private static final int RELEASE_OFFSET = 32;
    private static final int CRC_OFFSET = 60;
    private static final String SUFFIX = ".log";
    private static final int NAME_DIGITS = 10;

    /** Ending of a segment's name while it is being prepared. */
    static final String PREPARED_SUFFIX = ".log.new";

    /** @param out with room for {@link #BYTES} */
    void encode(ByteBuffer out) {
        ByteBuffer header = ByteBuffer.allocate(BYTES);
        header.putLong(MAGIC).putInt(FORMAT_VERSION).putInt(number);
        header.putLong(salt).putInt(previousEnd).putInt(metadataEnd);
        Release.putName(header);
        header.putInt(CRC_OFFSET, crc(header));
        out.put(header.array());
    }

    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, CRC_OFFSET);
        return (int) crc.getValue();
    }

    /**
     * Reads a header.
     *
     * @param header {@link #BYTES} bytes
     * @param files for messages
     * @param name the file's name
     * @return the header
     * @throws CorruptLogException if it is damaged
     * @throws NewerFormatException if a later release wrote it
     */
    static SegmentHeader decode(ByteBuffer header, LogFiles files, String name) throws IOException {
        if (header.getLong(0) != MAGIC) {
            throw new CorruptLogException(files.directory(), files.path(name), 0, "this is not a log segment");
        }
        if (crc(header) != header.getInt(CRC_OFFSET)) {
            throw new CorruptLogException(
                    files.directory(), files.path(name), CRC_OFFSET, "the checksum of the file's header is wrong");
        }
        if (header.getInt(8) != FORMAT_VERSION) {
            throw new NewerFormatException(files.path(name), header.getInt(8), release(header), FORMAT_VERSION);
        }
        SegmentHeader read =
                new SegmentHeader(header.getInt(12), header.getLong(16), header.getInt(24), header.getInt(28));
        if (read.number != number(name)) {
            throw new CorruptLogException(
                    files.directory(),
                    files.path(name),
                    12,
                    "the file holds segment " + read.number + "; it was renamed or copied");
        }
        return read;
    }

    /**
     * @param header bytes that {@link #decode} takes
     * @return the release that wrote the file, see {@link Release#getName}
     */
    static String release(ByteBuffer header) {
        return Release.getName(header.duplicate().position(RELEASE_OFFSET));
    }

    /**
     * @param number a segment's number
     * @return its file's name
     */
    static String name(int number) {
        String digits = Integer.toString(number);
        return "0".repeat(NAME_DIGITS - digits.length()) + digits + SUFFIX;
    }

    /**
     * @param name a file's name
     * @return the segment's number, 0 if this is no segment's name
     */
    static int number(String name) {
        if (name.length() != NAME_DIGITS + SUFFIX.length() || !name.endsWith(SUFFIX)) {
            return 0;
        }
        long number = 0;
        for (int i = 0; i < NAME_DIGITS; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            number = number * 10 + digit;
        }
        return number > Integer.MAX_VALUE ? 0 : (int) number;
    }
}
