package io.chainkeeper.server.state;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.transport.PeerAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig.ConfigException;
import org.apache.zookeeper.server.quorum.flexible.QuorumMaj;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;

/**
 * A version of the ensemble's configuration: what {@code /zookeeper/config} holds. Immutable. Its text is ZooKeeper's,
 * with the servers ascending by id, so that equal configurations are equal bytes whatever the locale.
 *
 * @param version grows with each {@code reconfig}: the zxid of the one that set it
 * @param servers by replica id
 */
public record EnsembleConfig(long version, SortedMap<Integer, Server> servers) {
    private static final int MAX_PORT = 65_535;
    private static final String VERSION_KEY = "version=";
    private static final Pattern SERVER_LINE = Pattern.compile("server\\.(\\d{1,9})=" + address()
            + ":(\\d{1,5}):(\\d{1,5}):(participant|observer)(?:;" + address() + ":(\\d{1,5}))?");

    /** Copies the servers. */
    public EnsembleConfig {
        servers = Collections.unmodifiableSortedMap(new TreeMap<>(servers));
    }

    private static String address() {
        return "(\\[[^\\]\\s]+]|[^:\\[\\]\\s;|]+)";
    }

    /**
     * One server.
     *
     * @param host of the replica link
     * @param quorumPort of the replica link
     * @param electionPort not used, but part of ZooKeeper's format
     * @param observer whether it never votes
     * @param clientHost where it listens for clients; null if its own file says that
     * @param clientPort 0 if its own file says that
     */
    public record Server(
            String host, int quorumPort, int electionPort, boolean observer, String clientHost, int clientPort) {
        /** @return as it stands behind {@code server.N=} */
        public String text() {
            String link = bracketed(host) + ":" + quorumPort + ":" + electionPort + ":"
                    + (observer ? "observer" : "participant");
            return clientHost == null ? link : link + ";" + bracketed(clientHost) + ":" + clientPort;
        }

        /** @return of the replica link */
        public PeerAddress address() {
            return new PeerAddress(host, quorumPort);
        }

        private static String bracketed(String name) {
            return name.contains(":") ? "[" + name + "]" : name;
        }
    }

    /**
     * Takes over what ZooKeeper has parsed.
     *
     * @param verifier ZooKeeper's view of a configuration
     * @return the configuration
     * @throws IllegalArgumentException if it has what ordering protocols do not: groups, weights, several addresses for
     *     one server, ids out of range; the message says which
     */
    public static EnsembleConfig of(QuorumVerifier verifier) {
        if (!(verifier instanceof QuorumMaj)) {
            throw new IllegalArgumentException("groups, weights and oracles are not supported");
        }
        SortedMap<Integer, Server> servers = new TreeMap<>();
        for (QuorumServer server : verifier.getAllMembers().values()) {
            if (server.id < 1 || server.id > Membership.MAX_REPLICA_ID) {
                throw new IllegalArgumentException(
                        "server id " + server.id + " is not within 1 to " + Membership.MAX_REPLICA_ID);
            }
            if (server.addr.size() != 1) {
                throw new IllegalArgumentException("server." + server.id + " has several addresses; keep one");
            }
            InetSocketAddress client = server.isClientAddrFromStatic ? null : server.clientAddr;
            servers.put(
                    (int) server.id,
                    new Server(
                            server.addr.getOne().getHostString(),
                            server.addr.getOne().getPort(),
                            server.electionAddr.getOne().getPort(),
                            server.type == LearnerType.OBSERVER,
                            client == null ? null : client.getHostString(),
                            client == null ? 0 : client.getPort()));
        }
        return new EnsembleConfig(verifier.getVersion(), servers);
    }

    /**
     * Reads back what {@link #text} wrote.
     *
     * @param text the text
     * @return the configuration
     * @throws IllegalArgumentException if it is anything else
     */
    public static EnsembleConfig parse(String text) {
        String[] lines = text.split("\n", -1);
        SortedMap<Integer, Server> servers = new TreeMap<>();
        for (int i = 0; i < lines.length - 1; i++) {
            Matcher line = SERVER_LINE.matcher(lines[i]);
            if (!line.matches()) {
                throw new IllegalArgumentException("configuration has the line " + lines[i]);
            }
            servers.put(within(1, line.group(1), Membership.MAX_REPLICA_ID), server(line));
        }
        return new EnsembleConfig(versionOf(text), servers);
    }

    private static Server server(Matcher line) {
        int quorumPort = within(0, line.group(3), MAX_PORT);
        int electionPort = within(0, line.group(4), MAX_PORT);
        if (quorumPort == electionPort) {
            throw new IllegalArgumentException("configuration has port " + quorumPort + " twice in " + line.group());
        }
        String clientHost = line.group(6);
        return new Server(
                unbracketed(line.group(2)),
                quorumPort,
                electionPort,
                line.group(5).equals("observer"),
                clientHost == null ? null : unbracketed(clientHost),
                clientHost == null ? 0 : within(0, line.group(7), MAX_PORT));
    }

    private static int within(int least, String digits, int most) {
        int number = Integer.parseInt(digits);
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    "configuration has the number " + number + ", which is not within " + least + " to " + most);
        }
        return number;
    }

    private static String unbracketed(String name) {
        return name.replaceAll("[\\[\\]]", "");
    }

    /**
     * @param text content of {@code /zookeeper/config}, of Apache ZooKeeper too
     * @return the version that its last line says
     * @throws IllegalArgumentException if it says none
     */
    public static long versionOf(String text) {
        String last = text.substring(text.lastIndexOf('\n') + 1);
        if (!last.matches(VERSION_KEY + "[0-9a-f]{1,16}")) {
            throw new IllegalArgumentException("configuration ends in \"" + last + "\" instead of its version");
        }
        return Long.parseUnsignedLong(last.substring(VERSION_KEY.length()), 16);
    }

    /** @return ZooKeeper's text: a line for each server, then the version in hex */
    public String text() {
        StringBuilder text = new StringBuilder();
        servers.forEach((id, server) -> text.append("server.")
                .append(id)
                .append('=')
                .append(server.text())
                .append('\n'));
        return text.append(VERSION_KEY).append(Long.toHexString(version)).toString();
    }

    /**
     * @param newVersion another version
     * @return the same servers under that version
     */
    public EnsembleConfig withVersion(long newVersion) {
        return new EnsembleConfig(newVersion, servers);
    }

    /** @return who is meant to take part */
    public Ensemble ensemble() {
        return new Ensemble(ids(false), ids(true));
    }

    /** @return ids of the participants, ascending */
    public List<Integer> participants() {
        return ids(false);
    }

    private List<Integer> ids(boolean observers) {
        List<Integer> ids = new ArrayList<>();
        servers.forEach((id, server) -> {
            if (server.observer() == observers) {
                ids.add(id);
            }
        });
        return ids;
    }

    /**
     * @param members who votes; null if the order has not named them yet, so that most of those who have started stand
     *     for them
     * @param started ids of the replicas that have ever started
     * @return whether it leaves no member out
     */
    public boolean contains(Membership members, Set<Integer> started) {
        if (members != null) {
            return servers.keySet().containsAll(members.replicaIds());
        }
        long left = started.stream().filter(id -> !servers.containsKey(id)).count();
        return started.isEmpty() || 2 * left < started.size();
    }

    /** @return where the replica links listen, by replica id */
    public SortedMap<Integer, PeerAddress> addresses() {
        SortedMap<Integer, PeerAddress> addresses = new TreeMap<>();
        servers.forEach((id, server) -> addresses.put(id, server.address()));
        return addresses;
    }

    /**
     * Resolves the host names, which may take a while.
     *
     * @return what ZooKeeper's own classes take
     */
    public QuorumVerifier verifier() {
        Map<Long, QuorumServer> members = new TreeMap<>();
        servers.forEach((id, server) -> {
            try {
                members.put((long) id, new QuorumServer(id, server.text()));
            } catch (ConfigException e) {
                throw new IllegalArgumentException("server." + id + "=" + server.text() + ": " + e.getMessage(), e);
            }
        });
        QuorumVerifier verifier = new Verifier(members);
        verifier.setVersion(version);
        return verifier;
    }

    /** ZooKeeper's majority verifier, except that its text does not depend on locale and hashing. */
    private static final class Verifier extends QuorumMaj {
        Verifier(Map<Long, QuorumServer> members) {
            super(members);
        }

        @Override
        public String toString() {
            return of(this).text();
        }

        @Override
        public boolean equals(Object other) {
            return super.equals(other);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(getVersion());
        }
    }
}
