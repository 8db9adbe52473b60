package io.chainkeeper.config;

import java.io.IOException;

/**
 * Something that only the user can put right keeps the server from starting. Its message is the one line that the user
 * sees: it names the file or key, what is wrong and what to do. Nobody prints its stack trace.
 *
 * <p>It is an {@link IOException} so that classes that open files and ports can throw it through their interfaces.
 */
public final class UserMistakeException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What the process ends with. The numbers are ZooKeeper's ({@code org.apache.zookeeper.server.ExitCode}). */
    public enum Exit {
        /** A port or an address cannot be used, or stored data is damaged or foreign. */
        CANNOT_START(1),
        /** The command line, zoo.cfg or myid is wrong. */
        INVALID_CONFIGURATION(2),
        /** A directory or file cannot be read or written. */
        DIRECTORY_INACCESSIBLE(3);

        private final int code;

        Exit(int code) {
            this.code = code;
        }

        /** @return the process's exit code, 1 to 3 */
        public int code() {
            return code;
        }
    }

    private final Exit exit;

    /**
     * Creates the exception.
     *
     * @param exit what the process ends with
     * @param message one line: what is wrong and what to do
     */
    public UserMistakeException(Exit exit, String message) {
        super(message.replaceAll("\\R+", " "));
        this.exit = exit;
    }

    /** @return what the process ends with */
    public Exit exit() {
        return exit;
    }

    static UserMistakeException inConfiguration(String format, Object... arguments) {
        return new UserMistakeException(Exit.INVALID_CONFIGURATION, String.format(format, arguments));
    }

    static UserMistakeException inDirectory(String format, Object... arguments) {
        return new UserMistakeException(Exit.DIRECTORY_INACCESSIBLE, String.format(format, arguments));
    }
}
