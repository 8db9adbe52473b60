package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.ImportedState;
import io.chainkeeper.command.ImportedState.Kind;
import io.chainkeeper.server.state.ImportedStates;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The rule by which the state that a new cluster begins with is chosen (docs/decisions/008-moving-in.md): the most
 * advanced one, once nobody can have more that counts. Exactly one of the fields is null.
 *
 * @param origin the state to begin with
 * @param waitsFor why none can be chosen yet and what helps, one line; empty if that is only a matter of moments
 */
record Founding(ImportedState origin, String waitsFor) {
    /**
     * Applies the rule.
     *
     * @param former what the replicas have reported
     * @param participants all who are to vote
     */
    static Founding of(ImportedStates imported, Collection<Integer> participants) {
        Map<Integer, ImportedState> reports = new TreeMap<>(imported.reports());
        reports.keySet().retainAll(participants);
        int majority = participants.size() / 2 + 1;
        Map<Integer, ImportedState> holders = new TreeMap<>(reports);
        holders.values().removeIf(state -> !state.holdsData());
        if (holders.isEmpty()) {
            // Enough have been met to know that whoever holds data is too few to know everything.
            return reports.size() < majority ? new Founding(null, "") : new Founding(ImportedState.EMPTY, null);
        }
        List<Integer> missing = participants.stream()
                .filter(id ->
                        !reports.containsKey(id) && !imported.goesWithout().contains(id))
                .sorted()
                .toList();
        if (!missing.isEmpty()) {
            return new Founding(
                    null,
                    describe(holders) + ", but nothing is known of " + names(missing) + ", which may hold more. Start "
                            + names(missing) + "; if that data is lost, stop a server that holds data, run"
                            + " zkServer.sh move-in --without " + ids(missing) + " there, and start it again");
        }
        return choose(imported, participants, holders);
    }

    private static Founding choose(
            ImportedStates imported, Collection<Integer> participants, Map<Integer, ImportedState> holders) {
        ImportedState best = null;
        boolean equal = true;
        boolean standalone = false;
        for (ImportedState state : holders.values()) {
            equal &= best == null || state.isSameAs(best);
            standalone |= state.kind() == Kind.STANDALONE;
            best = best == null || state.isAheadOf(best) ? state : best;
        }
        if (standalone && !equal) {
            return new Founding(
                    null,
                    describe(holders)
                            + ", and some of it is that of a stand-alone server: these are different histories."
                            + " Stop all servers, leave the directories of one history, and empty the others");
        }
        List<Integer> empty = participants.stream()
                .filter(id ->
                        !holders.containsKey(id) && !imported.goesWithout().contains(id))
                .sorted()
                .toList();
        if (!standalone && holders.size() <= participants.size() / 2 && !empty.isEmpty()) {
            return new Founding(
                    null,
                    describe(holders) + ", which are no majority of the ensemble that they are of: others had more,"
                            + " perhaps. Put the data directories of " + names(empty)
                            + " in place; if they are lost, stop a server that holds data, run zkServer.sh move-in"
                            + " --without " + ids(empty) + " there, and start it again");
        }
        return new Founding(best, null);
    }

    private static String describe(Map<Integer, ImportedState> holders) {
        return holders.entrySet().stream()
                .map(holder -> "server." + holder.getKey() + " (" + holder.getValue() + ")")
                .collect(Collectors.joining(", ", "Data of Apache ZooKeeper is held by ", ""));
    }

    private static String names(List<Integer> replicas) {
        return replicas.stream().map(id -> "server." + id).collect(Collectors.joining(", "));
    }

    private static String ids(List<Integer> replicas) {
        return replicas.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
