package io.chainkeeper.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * The release that runs: its name, and the feature levels that it knows. Both come from {@value #FILE}, which the build
 * fills in; jars of two releases may differ in nothing else. Immutable, for any thread.
 */
public final class Release {
    /** Bytes that a name takes in headers of files, in ASCII; what is left is zeros. */
    public static final int NAME_BYTES = 24;

    /** Longest name, in characters. */
    public static final int MAX_NAME_LENGTH = NAME_BYTES;

    private static final String FILE = "release.properties";
    private static final Properties PROPERTIES = read();
    private static final String NAME = checked(PROPERTIES.getProperty("release"));
    private static final FeatureRange LEVELS = new FeatureRange(
            Integer.parseInt(PROPERTIES.getProperty("oldestLevel")),
            Integer.parseInt(PROPERTIES.getProperty("newestLevel")));

    private Release() {}

    private static Properties read() {
        Properties properties = new Properties();
        try (InputStream file = Release.class.getResourceAsStream(FILE)) {
            properties.load(file);
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException("this build's " + FILE + " cannot be read", e);
        }
    }

    private static String checked(String name) {
        if (!isName(name)) {
            throw new IllegalStateException(FILE + " names the release '" + name + "'; build with Maven");
        }
        return name;
    }

    /** @return the version of this build, such as {@code 0.2.0}; at most {@value #MAX_NAME_LENGTH} characters */
    public static String name() {
        return NAME;
    }

    /** @return the feature levels that this release knows */
    public static FeatureRange levels() {
        return LEVELS;
    }

    /**
     * @param level a feature level
     * @return the first release that knows it; this one's name if it is none of this release's levels
     */
    public static String bringing(int level) {
        return PROPERTIES.getProperty("level." + level, NAME);
    }

    /**
     * @param text anything
     * @return whether it can be the name of a release
     */
    public static boolean isName(String text) {
        return text != null && text.matches("[0-9A-Za-z][0-9A-Za-z.+~_-]{0," + (MAX_NAME_LENGTH - 1) + "}");
    }

    /** @param out gets this release's name, {@value #NAME_BYTES} bytes */
    public static void putName(ByteBuffer out) {
        byte[] padded = new byte[NAME_BYTES];
        byte[] name = NAME.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(name, 0, padded, 0, name.length);
        out.put(padded);
    }

    /**
     * Reads what {@link #putName} wrote.
     *
     * @param in has {@value #NAME_BYTES} bytes at least
     * @return the name of a release; {@code an unnamed release} if these bytes hold none
     */
    public static String getName(ByteBuffer in) {
        byte[] padded = new byte[NAME_BYTES];
        in.get(padded);
        String name = new String(padded, StandardCharsets.US_ASCII).replace("\0", "");
        return isName(name) ? name : "an unnamed release";
    }
}
