package io.chainkeeper.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A zoo.cfg in which the server itself changes a few lines. All others stay as they are, with their comments and
 * backslashes: ZooKeeper's {@code QuorumPeerConfig.editStaticConfig} writes values without the backslashes that the
 * next start needs to read them, so a password could be another one then. Stateless.
 */
public final class EditedConfiguration {
    private static final int LAST_PRINTABLE = 0x7e;

    private EditedConfiguration() {}

    /**
     * @param zooCfg the file
     * @param key a key
     * @return whether the file sets it
     * @throws IOException if the file cannot be read
     */
    public static boolean sets(Path zooCfg, String key) throws IOException {
        for (SettingsFile.LogicalLine line : lines(zooCfg)) {
            if (keys(line, zooCfg).contains(key)) {
                return true;
            }
        }
        return false;
    }

    private static List<SettingsFile.LogicalLine> lines(Path zooCfg) throws IOException {
        return SettingsFile.logicalLines(Files.readString(zooCfg, StandardCharsets.ISO_8859_1));
    }

    private static Set<String> keys(SettingsFile.LogicalLine line, Path zooCfg) throws IOException {
        try {
            return line.keys().keySet();
        } catch (IllegalArgumentException e) {
            throw new IOException(zooCfg + ":" + line.number() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Removes lines, and adds one at the end.
     *
     * @param zooCfg the file
     * @param isRemoved which keys are removed; that of the added line is, too
     * @param key of the added line
     * @param value of the added line; does not begin with a blank
     * @throws IOException if the file cannot be read or written; it is then as it was
     */
    public static void write(Path zooCfg, Predicate<String> isRemoved, String key, String value) throws IOException {
        StringBuilder text = new StringBuilder();
        for (SettingsFile.LogicalLine line : lines(zooCfg)) {
            if (keys(line, zooCfg).stream().noneMatch(isRemoved.or(key::equals))) {
                text.append(line.text()).append('\n');
            }
        }
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '\n') {
            end--;
        }
        text.setLength(end);
        if (end > 0) {
            // A backslash at the end of the file would continue with the added line.
            text.append(text.charAt(end - 1) == '\\' ? "\n\n" : "\n");
        }
        text.append(key).append('=').append(escaped(value)).append('\n');
        AtomicFile.replace(zooCfg, text.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String escaped(String value) {
        StringBuilder escaped = new StringBuilder();
        for (char c : value.toCharArray()) {
            if (c == '\\') {
                escaped.append("\\\\");
            } else if (c < ' ' || c > LAST_PRINTABLE) {
                escaped.append(String.format("\\u%04x", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
