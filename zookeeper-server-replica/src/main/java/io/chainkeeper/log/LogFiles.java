package io.chainkeeper.log;

import java.io.IOException;
import java.util.List;

/**
 * What the segmented log needs of a directory. Tests replace it, to make disks fail and lose what was not forced.
 * New, renamed and deleted entries are durable only after {@link #syncDirectory}.
 */
interface LogFiles {
    /** @return the directory, as messages name it */
    String directory();

    /**
     * @return every write of a file opened for writing begins and ends at a multiple of so many bytes, from a direct
     *     buffer whose address is one; 1 if there is no such rule
     */
    int blockBytes();

    /**
     * @param name a file's name
     * @return the file's path, as messages name it
     */
    String path(String name);

    /**
     * @return names of all files, in any order
     * @throws IOException if the directory cannot be read
     */
    List<String> list() throws IOException;

    /**
     * Creates a file, replacing one that is there.
     *
     * @param name its name
     * @return the empty file, open for writing only
     * @throws IOException if it could not be created
     */
    LogFile create(String name) throws IOException;

    /**
     * Opens a file for writing.
     *
     * @param name its name
     * @return the file
     * @throws IOException if it could not be opened
     */
    LogFile openForWriting(String name) throws IOException;

    /**
     * Opens a file for reading. It stays readable if it is deleted meanwhile.
     *
     * @param name its name
     * @return the file
     * @throws IOException if it could not be opened
     */
    LogFile openForReading(String name) throws IOException;

    /**
     * Gives a file another name.
     *
     * @param from its name
     * @param to its new name, which is free
     * @throws IOException if that failed
     */
    void rename(String from, String to) throws IOException;

    /**
     * Removes a file.
     *
     * @param name its name
     * @throws IOException if that failed
     */
    void delete(String name) throws IOException;

    /**
     * Waits until all creations, renamings and deletions are on stable storage.
     *
     * @throws IOException if they may not be
     */
    void syncDirectory() throws IOException;
}
