package io.chainkeeper.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says what became of a file that could not be used. Java's own message may be its path and no more. Stateless. */
public final class FileFailure {
    private FileFailure() {}

    /**
     * @param failure why something could not be read or written
     * @return in words, one line as far as the message is one
     */
    public static String text(IOException failure) {
        if (failure instanceof FileSystemException ofFile
                && ofFile.getReason() == null
                && ofFile.getFile() != null
                && ofFile.getOtherFile() == null) {
            return ofFile.getFile() + ": " + reason(ofFile);
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    private static String reason(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied; give this user access, or run this as the user who has it";
        }
        if (failure instanceof NotDirectoryException || failure instanceof FileAlreadyExistsException) {
            return "this is no directory; give one";
        }
        return "it cannot be used (" + failure.getClass().getSimpleName() + ")";
    }
}
