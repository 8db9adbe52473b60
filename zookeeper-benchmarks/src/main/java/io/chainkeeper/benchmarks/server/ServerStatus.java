package io.chainkeeper.benchmarks.server;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a server says of itself in answer to {@code srvr}.
 *
 * @param role such as leader or follower; empty if it does not serve
 * @param zxid of the last transaction that it has applied; 0 if it does not serve
 */
public record ServerStatus(String role, long zxid) {
    /** The role of the server that leads. */
    public static final String LEADER = "leader";

    private static final String LOOKING = "looking";

    private static final ServerStatus NOT_SERVING = new ServerStatus("", 0);

    private static final String SEPARATOR = ": ";

    /**
     * Reads an answer.
     *
     * @param answer text of the server's answer; anything but a serving server's answer means that it does not serve
     * @return the status
     */
    public static ServerStatus parse(String answer) {
        Map<String, String> values = new TreeMap<>();
        answer.lines().forEach(line -> {
            int separator = line.indexOf(SEPARATOR);
            if (separator > 0) {
                values.put(
                        line.substring(0, separator),
                        line.substring(separator + SEPARATOR.length()).trim());
            }
        });
        String role = values.get("Mode");
        if (role == null) {
            return NOT_SERVING;
        }
        try {
            return new ServerStatus(role, Long.decode(values.getOrDefault("Zxid", "0")));
        } catch (NumberFormatException e) {
            return NOT_SERVING; // cut off in the middle of the line
        }
    }

    /** @return whether it takes part in the ensemble; a server that looks for a leader does not */
    public boolean isServing() {
        return !role.isEmpty() && !role.startsWith(LOOKING);
    }
}
