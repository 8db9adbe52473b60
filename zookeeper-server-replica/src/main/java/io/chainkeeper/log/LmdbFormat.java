package io.chainkeeper.log;

import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Says which format the records of an LMDB store have, in the small text file {@value #FILE_NAME} beside it: before
 * the store is opened, because LMDB ends the process where it finds pages that it does not expect. Stores of releases
 * before 0.2.0 have no such file; their format is version 1. Stateless.
 */
final class LmdbFormat {
    /** Name of the file. */
    static final String FILE_NAME = "data.mdb.format";

    private static final int FORMAT_VERSION = 1;
    private static final String TEMPORARY_SUFFIX = ".new";

    private LmdbFormat() {}

    /**
     * Reads the format of a store, and changes nothing.
     *
     * @param directory holds it
     * @throws io.chainkeeper.release.NewerFormatException if a later release wrote it
     * @throws CorruptLogException if what says the format is damaged
     */
    static void check(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return;
        }
        try {
            List<String> lines = FormatHead.lines(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
            FormatHead.version(file, lines, FORMAT_VERSION);
            FormatHead.checkRelease(lines);
        } catch (IllegalArgumentException e) {
            throw new CorruptLogException(directory.toString(), file.toString(), 0, e.getMessage());
        }
    }

    /**
     * Writes the format of a store that does not say it yet, durably but for the directory.
     *
     * @param directory holds it
     * @throws IOException if it cannot be written; names the file
     */
    static void say(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        if (Files.exists(file)) {
            return;
        }
        try {
            write(directory.resolve(FILE_NAME + TEMPORARY_SUFFIX), file);
        } catch (IOException e) {
            throw new IOException(
                    file + " cannot be written (" + DirectoryLogFiles.reason(e) + "): check that " + directory
                            + " belongs to user " + System.getProperty("user.name")
                            + ", and that its disk works and has free space",
                    e);
        }
    }

    private static void write(Path temporary, Path file) throws IOException {
        try (FileChannel out = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer text = ByteBuffer.wrap(FormatHead.of(FORMAT_VERSION).getBytes(StandardCharsets.UTF_8));
            while (text.hasRemaining()) {
                out.write(text);
            }
            out.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
