package io.chainkeeper.release;

import java.io.IOException;

/** A file that a later release has written in a format that this one does not know. Nothing of it may be used. */
public final class NewerFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file its path
     * @param version format version in the file
     * @param writer the release that wrote it
     * @param known the newest format version that this release reads
     */
    public NewerFormatException(String file, int version, String writer, int known) {
        super(file + " has format version " + version + ", written by release " + writer + "; this is release "
                + Release.name() + ", which reads versions up to " + known + ": start release " + writer
                + " or later. Nothing was changed");
    }
}
