package io.chainkeeper.server.backup;

import java.io.IOException;

/**
 * A backup that its reader cannot go on with, now or later: it is of another cluster or another history than the
 * member, or its manifest is damaged or of a later release. Whatever else goes wrong may pass.
 */
public final class UnusableBackupException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message one line: names the backup, says what is wrong and what to do */
    UnusableBackupException(String message) {
        super(message);
    }
}
