package io.chainkeeper.simulation.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What was acknowledged is there at the end. Remembers acknowledgements while a test runs and compares them with the
 * state of each replica afterwards. Safe for use by any thread.
 */
public final class DurabilityChecker {
    private static final int MAX_SHOWN = 20;

    private final Map<String, VersionedRegister.State> acknowledgedWrites = new TreeMap<>();
    private final Set<String> acknowledgedCreations = new TreeSet<>();

    /**
     * A write to a versioned register was acknowledged.
     *
     * @param key the register
     * @param value what was written
     * @param version that it got
     * @throws HistoryViolation if another value was acknowledged with the same version
     */
    public synchronized void acknowledgedWrite(String key, String value, int version) {
        VersionedRegister.State known = acknowledgedWrites.get(key);
        if (known != null && known.version() == version && !known.value().equals(value)) {
            throw new HistoryViolation("version " + version + " of " + key + " was acknowledged twice: as "
                    + known.value() + " and as " + value);
        }
        if (known == null || known.version() < version) {
            acknowledgedWrites.put(key, new VersionedRegister.State(value, version));
        }
    }

    /**
     * A thing that nobody ever deletes was acknowledged to exist.
     *
     * @param name unique
     */
    public synchronized void acknowledgedCreation(String name) {
        acknowledgedCreations.add(name);
    }

    /**
     * Compares with a replica's state at the end, when no write is in progress.
     *
     * @param where the replica, for the message
     * @param registers key to state
     * @param names of what exists there
     * @throws HistoryViolation if something acknowledged is missing or older than acknowledged
     */
    public synchronized void checkPresent(
            String where, Map<String, VersionedRegister.State> registers, Set<String> names) {
        List<String> missing = new ArrayList<>();
        acknowledgedWrites.forEach((key, acknowledged) -> {
            VersionedRegister.State found = registers.get(key);
            if (found == null
                    || found.version() < acknowledged.version()
                    || (found.version() == acknowledged.version()
                            && !found.value().equals(acknowledged.value()))) {
                missing.add(key + " was acknowledged as " + acknowledged + ", found " + found);
            }
        });
        for (String name : acknowledgedCreations) {
            if (!names.contains(name)) {
                missing.add(name + " was acknowledged to exist and is absent");
            }
        }
        if (!missing.isEmpty()) {
            throw new HistoryViolation(where + " has lost " + missing.size() + " acknowledged writes: "
                    + String.join("; ", missing.subList(0, Math.min(MAX_SHOWN, missing.size()))));
        }
    }

    /** @return how many registers and creations have been acknowledged */
    public synchronized int count() {
        return acknowledgedWrites.size() + acknowledgedCreations.size();
    }
}
