package io.chainkeeper.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** One file of each kind and format version that was ever written, {@code formats/NAME-VERSION} among the resources. */
public final class FormatSamples {
    /** The release that has written what {@link #newerText} and {@link #newerBinary} make. */
    public static final String LATER_RELEASE = "9.8.7";

    private FormatSamples() {}

    /** Returns the bytes of a sample. */
    public static byte[] bytes(String name, int version) {
        String resource = "/formats/" + name + "-" + version;
        try (InputStream in = FormatSamples.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new AssertionError("no sample " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts a sample into a directory, under its own name, and returns the directory. */
    public static Path in(Path directory, String name, int version) throws IOException {
        Files.write(directory.resolve(name), bytes(name, version));
        return directory;
    }

    /** Puts what a later release might have written into a directory, and returns the directory. */
    public static Path newerText(Path directory, String name, int version) throws IOException {
        String text = new String(bytes(name, version), StandardCharsets.UTF_8)
                .replaceFirst("formatVersion=\\d+", "formatVersion=" + (version + 1))
                .replaceFirst("release=.*", "release=" + LATER_RELEASE);
        Files.writeString(directory.resolve(name), text + "more=unknown\n");
        return directory;
    }

    /** Returns what a later release might have written: the next version, more bytes, a right checksum. */
    public static byte[] newerBinary(String name, int version) {
        byte[] sample = bytes(name, version);
        ByteBuffer newer = ByteBuffer.wrap(Arrays.copyOf(sample, sample.length + 5));
        newer.put(Long.BYTES - 1, (byte) ('1' + version));
        newer.put(Long.BYTES, Arrays.copyOf(LATER_RELEASE.getBytes(StandardCharsets.US_ASCII), Release.NAME_BYTES));
        newer.position(newer.capacity() - Integer.BYTES);
        BinaryHead.putChecksum(newer);
        return newer.array();
    }
}
