package io.chainkeeper.log;

/**
 * What an inspection finds in an acceptor log that is not a whole record.
 *
 * @param kind whether a crash can have left it
 * @param file where
 * @param offset first byte of it, from 0; {@link #NO_OFFSET} in a file that is not read byte by byte
 * @param what what is wrong there; ends without a full stop
 */
public record LogFinding(Kind kind, String file, long offset, String what) {
    /** The place is no byte of a file. */
    public static final long NO_OFFSET = -1;

    /** What an inspection tells apart. */
    public enum Kind {
        /** No crash can have left this: a server refuses to start with it. */
        DAMAGE,
        /** A write that was cut short, or that a running server is about to finish. The next start cuts it off. */
        UNFINISHED
    }

    /** @return one line: file, byte, what is wrong there */
    @Override
    public String toString() {
        return file + (offset == NO_OFFSET ? "" : ", byte " + offset) + ": " + what;
    }
}
