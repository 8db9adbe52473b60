package io.chainkeeper.log;

import java.io.IOException;

/**
 * The acceptor log holds something that no crash can have left there. The replica must not start from it: it would
 * have forgotten what it promised. The message is one line: file, byte, what is wrong, what to do.
 */
public final class CorruptLogException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final long offset;
    private final String what;

    /**
     * @param directory the log's directory
     * @param file the damaged file
     * @param offset first damaged byte in it
     * @param what what is wrong there
     */
    CorruptLogException(String directory, String file, long offset, String what) {
        super(file + ", byte " + offset + ": the acceptor log is damaged: " + what + ". Nothing was changed. Restore "
                + directory + " from a copy of this replica's disk; remove that directory only if all other replicas"
                + " are running and hold the data");
        this.file = file;
        this.offset = offset;
        this.what = what;
    }

    /** @return the damaged file */
    public String file() {
        return file;
    }

    /** @return first damaged byte in the file, from 0 */
    public long offset() {
        return offset;
    }

    /** @return what is wrong there, without the place and the remedy */
    public String what() {
        return what;
    }
}
