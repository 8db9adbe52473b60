package io.chainkeeper.release;

import io.chainkeeper.ordering.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What our small binary files begin and end with, the same in all releases from 0.2.0 on: a magic number, whose last
 * byte is the format version as an ASCII digit, and the release that wrote the file ({@link Release#putName}); at the
 * end the CRC32C of everything before it.
 *
 * @param magic the magic number, its last byte 0
 * @param newest the version that this release writes, the newest that it reads; at most 9
 * @param firstWithRelease the first version that names the release
 */
public record BinaryHead(long magic, int newest, int firstWithRelease) {
    /** The version of something else. */
    public static final int OTHER = 0;

    /** Bytes of the head that {@link #put} writes. */
    public static final int BYTES = Long.BYTES + Release.NAME_BYTES;

    private static final int VERSION_MASK = 0xff;

    /** @param out gets the head of the newest version */
    public void put(ByteBuffer out) {
        out.putLong(magic | '0' + newest);
        Release.putName(out);
    }

    /** @param out has an array, and is written up to its end but for the checksum, which this appends */
    public static void putChecksum(ByteBuffer out) {
        out.putInt(checksum(out.array(), out.position()));
    }

    private static int checksum(byte[] content, int length) {
        CRC32C crc = new CRC32C();
        crc.update(content, 0, length);
        return (int) crc.getValue();
    }

    /**
     * Checks a file as far as all versions are the same.
     *
     * @param content of the file, at least 12 bytes, in an array of its own; is read up to behind the head
     * @param name of the file, for messages
     * @return the format version; {@link #OTHER} if this is no such file
     * @throws MalformedMessageException if the checksum is wrong
     * @throws NewerFormatException if a later release wrote it
     */
    public int version(ByteBuffer content, String name) throws MalformedMessageException, NewerFormatException {
        long first = content.getLong();
        int version = (int) (first & VERSION_MASK) - '0';
        if ((first & ~VERSION_MASK) != magic || version < 1 || version > 9) {
            return OTHER;
        }
        int end = content.capacity() - Integer.BYTES;
        if (checksum(content.array(), end) != content.getInt(end)) {
            throw new MalformedMessageException("has a wrong checksum");
        }
        if (version < firstWithRelease) {
            return version;
        }
        String writer = Release.getName(content);
        if (version > newest) {
            throw new NewerFormatException(name, version, writer, newest);
        }
        return version;
    }
}
