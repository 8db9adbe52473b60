package io.chainkeeper.server.guard;

/** How long things become when ZooKeeper's archives write them. Stateless. */
public final class Lengths {
    private Lengths() {}

    /** Bytes of a string without its length: each half of a surrogate pair for itself; 0 for null. */
    public static long utf8Bytes(String string) {
        long bytes = 0;
        for (int i = 0; string != null && i < string.length(); i++) {
            char c = string.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
        }
        return bytes;
    }
}
