package io.chainkeeper.config;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * A zoo.cfg, or the dynamic configuration file that it names, with the number of each line. {@link Properties} alone
 * forgets lines and keeps only the last of several values of one key, which is how two servers with one id go
 * unnoticed. Understands exactly what {@link Properties} understands. Immutable.
 */
final class SettingsFile {
    /**
     * One key and its value.
     *
     * @param key the key, trimmed
     * @param value the value, trimmed, possibly empty
     * @param line number of the line that it begins in, from 1
     */
    record Entry(String key, String value, int line) {
        @Override
        public String toString() {
            return key + "=" + value;
        }
    }

    private final Path path;
    private final List<Entry> entries;

    private SettingsFile(Path path, List<Entry> entries) {
        this.path = path;
        this.entries = List.copyOf(entries);
    }

    /**
     * Reads a file.
     *
     * @param path the file
     * @return its entries
     * @throws UserMistakeException if it is missing, not a readable file or malformed
     */
    static SettingsFile read(Path path) throws UserMistakeException {
        if (!Files.exists(path)) {
            throw UserMistakeException.inConfiguration(
                    "%s does not exist; give the path of an existing configuration file,"
                            + " or write one beginning with conf/zoo_sample.cfg",
                    path);
        }
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            throw UserMistakeException.inConfiguration(
                    "%s is not a readable file; give the path of a configuration file that this user may read", path);
        }
        try {
            return new SettingsFile(path, parse(path, Files.readString(path, StandardCharsets.ISO_8859_1)));
        } catch (UserMistakeException e) {
            throw e;
        } catch (IOException e) {
            throw UserMistakeException.inConfiguration(
                    "%s cannot be read: %s; check the file and its file system", path, e.getMessage());
        }
    }

    private static List<Entry> parse(Path path, String text) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (LogicalLine line : logicalLines(text)) {
            try {
                line.keys().forEach((key, value) -> entries.add(new Entry(key, value, line.number())));
            } catch (IllegalArgumentException e) {
                throw UserMistakeException.inConfiguration(
                        "%s:%d: %s; correct the backslash sequence", path, line.number(), e.getMessage());
            }
        }
        return entries;
    }

    /**
     * Lines of a file that belong together: what is continued behind a backslash, or a comment.
     *
     * @param text as in the file, without the end of the last line
     * @param number of the first of them, from 1
     */
    record LogicalLine(String text, int number) {
        /**
         * @return what is set there, trimmed: one key, or none
         * @throws IllegalArgumentException if there is a backslash that {@link Properties} does not understand
         */
        Map<String, String> keys() {
            Properties one = new Properties();
            try {
                one.load(new StringReader(text));
            } catch (IOException e) {
                throw new UncheckedIOException(e); // a string can always be read
            }
            Map<String, String> keys = new TreeMap<>();
            one.stringPropertyNames()
                    .forEach(key -> keys.put(key.trim(), one.getProperty(key).trim()));
            return keys;
        }
    }

    /** All lines of a file's text, those that set nothing included. */
    static List<LogicalLine> logicalLines(String text) {
        List<LogicalLine> logicalLines = new ArrayList<>();
        String[] lines = text.split("\r\n|\r|\n", -1);
        for (int i = 0; i < lines.length; i++) {
            int number = i + 1;
            StringBuilder logicalLine = new StringBuilder(lines[i]);
            while (!setsNothing(lines[number - 1]) && endsWithContinuation(lines[i]) && i + 1 < lines.length) {
                i++;
                logicalLine.append('\n').append(lines[i]);
            }
            logicalLines.add(new LogicalLine(logicalLine.toString(), number));
        }
        return logicalLines;
    }

    private static boolean setsNothing(String line) {
        String words = line.stripLeading();
        return words.isEmpty() || words.startsWith("#") || words.startsWith("!");
    }

    private static boolean endsWithContinuation(String line) {
        int backslashes = 0;
        while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    Path path() {
        return path;
    }

    /** @return all entries, in the order of the file */
    List<Entry> entries() {
        return entries;
    }

    /** @return the entry that counts for a key: as in {@link Properties}, the last one */
    Optional<Entry> find(String key) {
        return entries.stream().filter(entry -> entry.key().equals(key)).reduce((earlier, later) -> later);
    }

    /** @return the value that counts for a key, or a default */
    String value(String key, String defaultValue) {
        return find(key).map(Entry::value).orElse(defaultValue);
    }

    /** @return where an entry stands and what it says, as the beginning of a message */
    String at(Entry entry) {
        return path + ":" + entry.line() + ": " + entry;
    }

    /**
     * Refuses a second value for one of the keys that we care about.
     *
     * @param entry an entry of this file
     * @throws UserMistakeException if an earlier entry has the same key
     */
    void checkFirst(Entry entry) throws UserMistakeException {
        for (Entry earlier : entries) {
            if (earlier == entry) {
                return;
            }
            if (earlier.key().equals(entry.key())) {
                throw UserMistakeException.inConfiguration(
                        "%s: line %d has already set %s=%s; remove one of the two lines",
                        at(entry), earlier.line(), earlier.key(), earlier.value());
            }
        }
    }
}
