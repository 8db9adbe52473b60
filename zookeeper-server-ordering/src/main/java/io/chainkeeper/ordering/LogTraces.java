package io.chainkeeper.ordering;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an acceptor log tells of the protocol that has written it, as far as it is known without opening the log.
 * Immutable.
 */
public final class LogTraces {
    private final TreeMap<Integer, LogRecord> metadata = new TreeMap<>();
    private final TreeSet<Integer> positionalKinds;

    /**
     * @param metadata the latest metadata record of each kind
     * @param positionalKinds the kinds that any positional record has
     */
    public LogTraces(Collection<LogRecord> metadata, Collection<Integer> positionalKinds) {
        metadata.forEach(record -> this.metadata.put(record.kind(), record));
        this.positionalKinds = new TreeSet<>(positionalKinds);
    }

    /**
     * @param kind the kind of a metadata record
     * @return the record, or null if none was ever written
     */
    public LogRecord metadata(int kind) {
        return metadata.get(kind);
    }

    /** @return the kinds that any positional record has, ascending */
    public Set<Integer> positionalKinds() {
        return Collections.unmodifiableSet(positionalKinds);
    }
}
