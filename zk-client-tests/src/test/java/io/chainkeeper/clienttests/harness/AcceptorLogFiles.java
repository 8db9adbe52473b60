package io.chainkeeper.clienttests.harness;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.replica.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The files of a server's segmented acceptor log; to be changed only while the server does not run. */
public final class AcceptorLogFiles {
    private static final int TORN_BYTES = 5;

    private final Path directory;

    private AcceptorLogFiles(Path directory) {
        this.directory = directory;
    }

    /** Returns those of this server. */
    public static AcceptorLogFiles of(ServerProcess server) {
        return new AcceptorLogFiles(server.directory().resolve("data/ordering"));
    }

    /**
     * Returns whether a record, or what is left of a file behind its records, holds this text. The server may run
     * unless it is about to drop segments.
     *
     * @param text of characters of ISO 8859-1
     */
    public boolean hold(String text) throws IOException {
        for (Path segment : segments()) {
            if (new String(Files.readAllBytes(segment), StandardCharsets.ISO_8859_1).contains(text)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the name of the oldest segment. The server may run. */
    public String oldestSegment() throws IOException {
        return segments().get(0).getFileName().toString();
    }

    /** Leaves out the end of what was written last, as a crash in the middle of a write does. */
    public void tearLastRecord() throws IOException {
        Path file = newestSegment();
        byte[] content = Files.readAllBytes(file);
        int end = usedBytes(content);
        Arrays.fill(content, end - TORN_BYTES, end, (byte) 0);
        Files.write(file, content);
    }

    /** Numbers the last start as if it had been so much later than now, by the clock that it had then. */
    public void moveIncarnationAhead(Duration ahead) throws IOException {
        long incarnation = System.currentTimeMillis() + ahead.toMillis();
        byte[] head = ByteBuffer.allocate(Long.BYTES).putLong(incarnation).array();
        try (AcceptorLog log =
                AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.SYNC, AcceptorLogSettings.defaults())) {
            log.append(new LogRecord(LogRecord.METADATA, Replica.INCARNATION, ByteSlice.of(head), ByteSlice.EMPTY));
            log.sync();
        }
    }

    /** Changes a bit in the middle of the largest file and returns what the file was before. */
    public Flipped flipBit() throws IOException {
        Path file = largestFile();
        byte[] sound = Files.readAllBytes(file);
        byte[] corrupt = sound.clone();
        corrupt[usedBytes(sound) / 2] ^= 4;
        Files.write(file, corrupt);
        return new Flipped(file, sound);
    }

    /**
     * A file that has been changed.
     *
     * @param sound what it held before
     */
    public record Flipped(Path file, byte[] sound) {
        /** Makes it what it was. */
        public void repair() throws IOException {
            Files.write(file, sound);
        }
    }

    private Path newestSegment() throws IOException {
        List<Path> segments = segments();
        return segments.get(segments.size() - 1);
    }

    /** The oldest first. */
    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    private Path largestFile() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .max(Comparator.comparingLong((Path file) -> file.toFile().length()))
                    .orElseThrow();
        }
    }

    /** Without the zeros that wait for records. */
    private static int usedBytes(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
