package io.chainkeeper.benchmarks.rounds;

import java.io.IOException;
import java.nio.file.Path;

/** What a run came to, for people and for programs. */
public interface Outcome {
    /** How far the figures can be used. */
    public enum Verdict {
        /** They can. */
        MEASURED,
        /** Something else used the machine too much. */
        VOID,
        /** The ensemble did not do what was measured. */
        FAILED
    }

    /** @return the figures as text */
    String table();

    /** @return how far they can be used */
    Verdict verdict();

    /**
     * Writes everything for programs.
     *
     * @param output where to, as the user gave it
     * @throws IOException if it cannot be written
     */
    void writeTo(Path output) throws IOException;
}
