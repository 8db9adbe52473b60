package io.chainkeeper.server.backup;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.FileFailure;
import io.chainkeeper.server.backup.BackupManifest.Content;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Files that get their names only when they are whole and on stable storage. Stateless. */
final class BackupFiles {
    /** What the name of a file ends with as long as it is written. */
    static final String TEMPORARY_SUFFIX = AtomicFile.TEMPORARY_SUFFIX;

    /** In the root of many a file system; only root may move it away, and nobody has put it there. */
    static final String LOST_AND_FOUND = "lost+found";

    private static final int BUFFER_BYTES = 1 << 20;

    private BackupFiles() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** @return the same, naming the file: where a disk is full, the system does not say which */
    static IOException notWritten(Path file, IOException failure) {
        return new IOException(file + " cannot be written: " + FileFailure.text(failure), failure);
    }

    /** Writes the content of a file. */
    @FunctionalInterface
    interface Writer {
        /**
         * @param out where to; closed by the caller
         * @throws IOException if it cannot be written, or what is to be written cannot be read
         */
        void write(OutputStream out) throws IOException;
    }

    /**
     * Writes a file durably.
     *
     * @param file its name, which it gets at the end
     * @param writer writes its content
     * @return what it holds
     * @throws IOException if it cannot be written; there is no such file then
     */
    static Content write(Path file, Writer writer) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY_SUFFIX);
        MessageDigest digest = sha256();
        try (OutputStream out = new DigestedOutput(temporary, digest)) {
            writer.write(out);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
        force(temporary);
        long bytes = Files.size(temporary);
        AtomicFile.rename(temporary, file);
        return new Content(bytes, HexFormat.of().formatHex(digest.digest()));
    }

    /** Storage on another machine may say only now that it is full. */
    private static void force(Path temporary) throws IOException {
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            channel.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw notWritten(temporary, e);
        }
    }

    /**
     * Copies bytes.
     *
     * @param in where from; at most {@code bytes} are read
     * @param out where to
     * @param bytes how many
     * @throws IOException if they cannot be read or written, or there are fewer
     */
    static void copy(InputStream in, OutputStream out, long bytes) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, Math.max(1, bytes))];
        long left = bytes;
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new IOException("ends " + left + " bytes early");
            }
            out.write(buffer, 0, read);
            left -= read;
        }
    }

    /** @return what a file holds */
    static Content contentOf(Path file) throws IOException {
        MessageDigest digest = sha256();
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
                bytes += read;
            }
        }
        return new Content(bytes, HexFormat.of().formatHex(digest.digest()));
    }

    /** Java's own writes single bytes one by one, and what is unchecked has no buffer. */
    private static final class DigestedOutput extends OutputStream {
        private final Path file;
        private final OutputStream out;
        private final MessageDigest digest;

        private DigestedOutput(Path file, MessageDigest digest) throws IOException {
            this.out = Files.newOutputStream(file);
            this.file = file;
            this.digest = digest;
        }

        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw notWritten(file, e);
            }
            digest.update(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            try {
                out.close();
            } catch (IOException e) {
                throw notWritten(file, e);
            }
        }
    }
}
