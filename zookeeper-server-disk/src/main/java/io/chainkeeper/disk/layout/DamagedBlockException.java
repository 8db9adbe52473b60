package io.chainkeeper.disk.layout;

/** What was read from a disk is not what ought to be there. */
public final class DamagedBlockException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message what is wrong with what; a part of a line for people */
    public DamagedBlockException(String message) {
        super(message);
    }
}
