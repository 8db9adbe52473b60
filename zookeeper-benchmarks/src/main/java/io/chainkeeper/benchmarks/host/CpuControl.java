package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** How this machine lets us give a process a CPU quota of its own. */
public interface CpuControl {
    /** @return what it is, or why there is none, for the reader of a report */
    String description();

    /** @return whether quotas can be set */
    boolean canCap();

    /**
     * Creates an empty group without a quota.
     *
     * @param name one path element
     * @return the group, to be closed when its processes have ended
     * @throws IOException if it cannot be created
     */
    Group create(String name) throws IOException;

    /** The processes that share one quota. */
    interface Group extends AutoCloseable {
        /** @return files into which a process writes its id, before it does anything else, to become a member */
        List<Path> processFiles();

        /**
         * Sets the quota.
         *
         * @param cores how many cores the group may use; 0 for no limit
         * @throws IOException if it cannot be set
         */
        void cap(double cores) throws IOException;

        /**
         * CPU time that the group has used.
         *
         * @return microseconds, exact; empty if the machine does not account for groups
         * @throws IOException if it cannot be read
         */
        OptionalLong cpuMicros() throws IOException;

        /**
         * Removes the group.
         *
         * @throws IOException if it still has processes after a few seconds
         */
        @Override
        void close() throws IOException;
    }
}
