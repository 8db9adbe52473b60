package io.chainkeeper.config;

import io.chainkeeper.transport.PeerAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The {@code server.N} lines of a zoo.cfg, or of the dynamic file that it names, checked against each other.
 *
 * @param file the file that holds them
 * @param servers ascending by id
 */
record EnsembleLines(SettingsFile file, List<ServerLine> servers) {
    private static final String DYNAMIC_FILE_KEY = "dynamicConfigFile";

    /**
     * Finds the file that holds the {@code server.N} lines.
     *
     * @param zooCfg the main file
     * @return that file or the one that its {@code dynamicConfigFile} names
     * @throws UserMistakeException if the dynamic file cannot be read
     */
    static SettingsFile locate(SettingsFile zooCfg) throws UserMistakeException {
        Optional<SettingsFile.Entry> dynamicFile = zooCfg.find(DYNAMIC_FILE_KEY);
        if (dynamicFile.isEmpty()) {
            return zooCfg;
        }
        try {
            return SettingsFile.read(Path.of(dynamicFile.get().value()));
        } catch (UserMistakeException e) {
            throw UserMistakeException.inConfiguration("%s: %s", zooCfg.at(dynamicFile.get()), e.getMessage());
        }
    }

    /** @return how many {@code server.N} lines a file has, before anything about them is checked */
    static int count(SettingsFile file) {
        return (int) file.entries().stream()
                .map(SettingsFile.Entry::key)
                .filter(key -> key.startsWith(ServerLine.PREFIX))
                .count();
    }

    /** @return how many of them do not end in the role observer */
    static int countParticipants(SettingsFile file) {
        return (int) file.entries().stream()
                .filter(entry -> entry.key().startsWith(ServerLine.PREFIX))
                .map(entry -> entry.value().split(";", 2)[0].trim().toLowerCase(Locale.ROOT))
                .filter(address -> !address.endsWith(":observer"))
                .count();
    }

    /**
     * Parses and checks all lines.
     *
     * @param file the file that holds them
     * @param protocol the protocol that would run them
     * @param maxId largest server id allowed
     * @return the ensemble
     * @throws UserMistakeException for a malformed line, two servers with one id or address, groups, weights
     */
    static EnsembleLines parse(SettingsFile file, String protocol, int maxId) throws UserMistakeException {
        List<ServerLine> servers = new ArrayList<>();
        for (SettingsFile.Entry entry : file.entries()) {
            if (entry.key().startsWith("group") || entry.key().startsWith("weight")) {
                throw unsupported(file, entry, "groups and weights are", "remove it", protocol);
            }
            if (entry.key().startsWith(ServerLine.PREFIX)) {
                file.checkFirst(entry);
                servers.add(ServerLine.parse(file, entry, maxId));
            }
        }
        servers.sort(Comparator.comparingInt(ServerLine::id));
        EnsembleLines ensemble = new EnsembleLines(file, List.copyOf(servers));
        ensemble.checkDistinct();
        return ensemble;
    }

    static UserMistakeException unsupported(
            SettingsFile file, SettingsFile.Entry entry, String what, String remedy, String protocol) {
        return UserMistakeException.inConfiguration(
                "%s: %s not supported with ordering.protocol=%s; %s, or set ordering.protocol=zab",
                file.at(entry), what, protocol, remedy);
    }

    private void checkDistinct() throws UserMistakeException {
        Map<Integer, ServerLine> byId = new HashMap<>();
        Map<String, ServerLine> byAddress = new HashMap<>();
        for (ServerLine server : servers) {
            // server.1 and server.01 are different keys and the same id
            ServerLine sameId = byId.put(server.id(), server);
            if (sameId != null) {
                throw UserMistakeException.inConfiguration(
                        "%s: line %d already describes server %d; give each server an id of its own",
                        file.at(server.entry()), sameId.entry().line(), server.id());
            }
            for (int port : new int[] {server.quorumPort(), server.electionPort()}) {
                ServerLine sameAddress = byAddress.put(server.host().toLowerCase(Locale.ROOT) + ":" + port, server);
                if (sameAddress != null) {
                    throw UserMistakeException.inConfiguration(
                            "%s: server.%d (line %d) has the address %s:%d too; give each server ports of its own",
                            file.at(server.entry()),
                            sameAddress.id(),
                            sameAddress.entry().line(),
                            server.host(),
                            port);
                }
            }
        }
    }

    /** @return ids of the participants with the addresses of their replica links, ascending */
    SortedMap<Integer, PeerAddress> participants() {
        return addresses(false);
    }

    /** @return ids of the observers with the addresses of their replica links, ascending */
    SortedMap<Integer, PeerAddress> observers() {
        return addresses(true);
    }

    private SortedMap<Integer, PeerAddress> addresses(boolean observers) {
        SortedMap<Integer, PeerAddress> addresses = new TreeMap<>();
        for (ServerLine server : servers) {
            if (server.observer() == observers) {
                addresses.put(server.id(), new PeerAddress(server.host(), server.quorumPort()));
            }
        }
        return addresses;
    }

    /** @return the line of a server, if there is one */
    Optional<ServerLine> find(long id) {
        return servers.stream().filter(server -> server.id() == id).findFirst();
    }

    /** @return all ids for a message: {@code 1, 2 or 3} */
    String ids() {
        List<String> ids = servers.stream().map(server -> "" + server.id()).collect(Collectors.toList());
        String last = ids.remove(ids.size() - 1);
        return ids.isEmpty() ? last : String.join(", ", ids) + " or " + last;
    }
}
