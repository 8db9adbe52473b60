package io.chainkeeper.main;

import io.chainkeeper.config.FileFailure;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;

/** What a command says, in one line, where it cannot do what was asked. Stateless. */
final class CommandFailure {
    private CommandFailure() {}

    /**
     * Prints why.
     *
     * @param failure an {@link IOException} or an {@link InvalidPathException}
     * @param err where the line goes
     * @param otherwise the exit code if it is no mistake of the user
     * @return the exit code
     */
    static int print(Exception failure, PrintStream err, int otherwise) {
        if (failure instanceof InvalidPathException path) {
            err.println(text(path));
            return Exit.INVALID_CONFIGURATION.code();
        }
        err.println(failure instanceof IOException ofFile ? FileFailure.text(ofFile) : failure.toString());
        return failure instanceof UserMistakeException mistake ? mistake.exit().code() : otherwise;
    }

    /** Java encodes paths as the locale says, and cron's has no letters outside ASCII. */
    static String text(InvalidPathException failure) {
        return "'" + failure.getInput() + "' cannot be a path here (" + failure.getReason()
                + "); if it has letters outside ASCII, set LC_ALL=C.UTF-8";
    }
}
