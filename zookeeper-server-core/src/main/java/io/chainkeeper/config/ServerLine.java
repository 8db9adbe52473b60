package io.chainkeeper.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One {@code server.N=host:quorumPort:electionPort[:role][;[clientHost:]clientPort]} line.
 *
 * @param id N, 1 to 255
 * @param host name or address of the replica link, without the brackets of an IPv6 address
 * @param quorumPort the replica link's port
 * @param electionPort accepted for the sake of existing files; not used by ordering protocols
 * @param observer whether the role is observer
 * @param entry the line itself
 */
record ServerLine(int id, String host, int quorumPort, int electionPort, boolean observer, SettingsFile.Entry entry) {
    static final String PREFIX = "server.";

    /** The top byte of a session id is its server's; ZooKeeper's documented range. */
    static final int MAX_ID = 255;

    /** TTL nodes take the value 255 of that byte for themselves. */
    static final int MAX_ID_WITH_EXTENDED_TYPES = 254;

    private static final String FORM = "host:port:port[:participant|observer][;[clientHost:]clientPort]";
    private static final Pattern ADDRESS = Pattern.compile("(\\[[^]]+]|[^:\\[\\]]+):(\\d+):(\\d+)(?::(\\w+))?");

    /**
     * Parses a line.
     *
     * @param file where it stands
     * @param entry the line
     * @param maxId largest id allowed
     * @return what it says
     * @throws UserMistakeException if it is malformed or asks for what ordering protocols do not have
     */
    static ServerLine parse(SettingsFile file, SettingsFile.Entry entry, int maxId) throws UserMistakeException {
        int id = parseId(file, entry, maxId);
        String address = entry.value().split(";", 2)[0].trim();
        if (address.contains("|")) {
            throw UserMistakeException.inConfiguration(
                    "%s: several addresses for one server are not supported; keep one, or set ordering.protocol=zab",
                    file.at(entry));
        }
        Matcher matcher = ADDRESS.matcher(address);
        if (!matcher.matches()) {
            throw malformed(file, entry, "it does not have the form " + FORM);
        }
        String host = matcher.group(1).replaceAll("[\\[\\]]", "").trim();
        int quorumPort = parsePort(file, entry, matcher.group(2));
        int electionPort = parsePort(file, entry, matcher.group(3));
        if (quorumPort == electionPort) {
            throw malformed(file, entry, "its two ports must differ");
        }
        String role =
                matcher.group(4) == null ? "participant" : matcher.group(4).toLowerCase(Locale.ROOT);
        if (!role.equals("participant") && !role.equals("observer")) {
            throw malformed(file, entry, "the role " + role + " is neither participant nor observer");
        }
        return new ServerLine(id, host, quorumPort, electionPort, role.equals("observer"), entry);
    }

    private static int parseId(SettingsFile file, SettingsFile.Entry entry, int maxId) throws UserMistakeException {
        String id = entry.key().substring(PREFIX.length());
        if (!id.matches("\\d{1,9}") || Integer.parseInt(id) < 1 || Integer.parseInt(id) > maxId) {
            throw UserMistakeException.inConfiguration(
                    "%s: the server id %s is not a number from 1 to %d; write server.1, server.2, ...",
                    file.at(entry), id, maxId);
        }
        return Integer.parseInt(id);
    }

    private static int parsePort(SettingsFile file, SettingsFile.Entry entry, String port) throws UserMistakeException {
        if (port.length() > 5 || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65535) {
            throw malformed(file, entry, "port " + port + " is not a number from 1 to 65535");
        }
        return Integer.parseInt(port);
    }

    private static UserMistakeException malformed(SettingsFile file, SettingsFile.Entry entry, String problem) {
        return UserMistakeException.inConfiguration("%s: %s; correct the line", file.at(entry), problem);
    }
}
