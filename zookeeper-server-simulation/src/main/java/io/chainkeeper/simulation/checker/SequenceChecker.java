package io.chainkeeper.simulation.checker;

import java.util.HashMap;
import java.util.Map;

/**
 * Numbers given out by the ensemble, such as those of sequential znodes, are given once, and a session that asks
 * several times gets growing ones. Safe for use by any thread; violations are thrown where they are found.
 */
public final class SequenceChecker {
    private final Map<String, Map<Long, Long>> sessionByNumber = new HashMap<>();
    private final Map<String, Map<Long, Long>> lastBySession = new HashMap<>();

    /**
     * A number was acknowledged. For one session, to be called in the order in which it had asked.
     *
     * @param session who got it
     * @param counter whose number it is, such as the parent's path
     * @param number the number
     * @throws HistoryViolation if it was given before, or is not larger than the session's previous one
     */
    public synchronized void acknowledged(long session, String counter, long number) {
        Long earlier = sessionByNumber
                .computeIfAbsent(counter, name -> new HashMap<>())
                .putIfAbsent(number, session);
        if (earlier != null) {
            throw new HistoryViolation("number " + number + " of " + counter + " was given twice: to session " + earlier
                    + " and to session " + session);
        }
        Long previous =
                lastBySession.computeIfAbsent(counter, name -> new HashMap<>()).put(session, number);
        if (previous != null && previous >= number) {
            throw new HistoryViolation("session " + session + " got number " + number + " of " + counter
                    + " for a later request than number " + previous);
        }
    }

    /** @return how many numbers were acknowledged */
    public synchronized int count() {
        return sessionByNumber.values().stream().mapToInt(Map::size).sum();
    }
}
