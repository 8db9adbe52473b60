package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
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

    /** Leaves out the end of what was written last, as a crash in the middle of a write does. */
    public void tearLastRecord() throws IOException {
        Path file = newestSegment();
        byte[] content = Files.readAllBytes(file);
        int end = usedBytes(content);
        Arrays.fill(content, end - TORN_BYTES, end, (byte) 0);
        Files.write(file, content);
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
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
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
