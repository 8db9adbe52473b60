package io.chainkeeper.shareddisk;

/** The disks that a server's list names are not those that it can work with. The message is one line, for people. */
public final class WrongDisksException extends Exception {
    private static final long serialVersionUID = 1;

    WrongDisksException(String message) {
        super(message);
    }
}
