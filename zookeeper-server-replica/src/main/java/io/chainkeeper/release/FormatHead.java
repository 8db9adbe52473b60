package io.chainkeeper.release;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The first two lines of our text files, the same in all releases from 0.2.0 on:
 *
 * <pre>
 * formatVersion=4
 * release=0.2.0
 * </pre>
 */
public final class FormatHead {
    /** How many lines the head has. */
    public static final int LINES = 2;

    private static final String VERSION_KEY = "formatVersion=";
    private static final String RELEASE_KEY = "release=";

    private FormatHead() {}

    /**
     * @param version format version of what follows
     * @return the head, with this release's name; ends with a line end
     */
    public static String of(int version) {
        return VERSION_KEY + version + "\n" + RELEASE_KEY + Release.name() + "\n";
    }

    /**
     * Reads one of these files.
     *
     * @param file exists
     * @return what it holds
     * @throws IllegalArgumentException if that is no text: of such bytes Java says only how many they are
     * @throws IOException if the file cannot be read
     */
    public static String text(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("bytes that are no text", e);
        }
    }

    /**
     * @param text of a file
     * @return its lines
     * @throws IllegalArgumentException if the last one has no end
     */
    public static List<String> lines(String text) {
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("cut short");
        }
        return Arrays.asList(text.substring(0, text.length() - 1).split("\n", -1));
    }

    /**
     * Reads the version of a file.
     *
     * @param file for messages
     * @param lines the file's
     * @param newest the newest version that this release reads
     * @return the version, at least 1, at most {@code newest}
     * @throws NewerFormatException if it is a newer one
     * @throws IllegalArgumentException if these are not the lines of such a file; says what is missing
     */
    public static int version(Path file, List<String> lines, int newest) throws NewerFormatException {
        String first = lines.isEmpty() ? "" : lines.get(0);
        if (!first.matches(VERSION_KEY + "[1-9]\\d{0,5}")) {
            throw new IllegalArgumentException("no line " + VERSION_KEY);
        }
        int version = Integer.parseInt(first.substring(VERSION_KEY.length()));
        if (version > newest) {
            throw new NewerFormatException(file.toString(), version, writer(lines), newest);
        }
        return version;
    }

    /**
     * @param lines of a file whose format has a head of two lines
     * @throws IllegalArgumentException if its second line names no release
     */
    public static void checkRelease(List<String> lines) {
        if (lines.size() < LINES || !Release.isName(value(lines.get(1)))) {
            throw new IllegalArgumentException("no line " + RELEASE_KEY);
        }
    }

    /**
     * Reads the head of a file whose version 1 has no release, and later ones have.
     *
     * @param file for messages
     * @param lines the file's
     * @param newest the newest version that this release reads
     * @return the lines behind the head
     * @throws NewerFormatException if it is a newer one
     * @throws IllegalArgumentException if these are not the lines of such a file; says what is missing
     */
    public static List<String> behind(Path file, List<String> lines, int newest) throws NewerFormatException {
        if (version(file, lines, newest) == 1) {
            return lines.subList(1, lines.size());
        }
        checkRelease(lines);
        return lines.subList(LINES, lines.size());
    }

    private static String writer(List<String> lines) {
        String name = lines.size() < LINES ? null : value(lines.get(1));
        return Release.isName(name) ? name : "an unnamed release";
    }

    private static String value(String line) {
        return line.startsWith(RELEASE_KEY) ? line.substring(RELEASE_KEY.length()) : null;
    }
}
