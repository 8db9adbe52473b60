package io.chainkeeper.benchmarks.server;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The configuration of one server of an ensemble. Protocols differ only in the lines that choose them. */
final class ZooCfg {
    /**
     * Where a server listens.
     *
     * @param host its address
     * @param client where clients connect
     * @param quorum the replica link
     * @param election of the stock quorum server
     */
    record Ports(String host, int client, int quorum, int election) {}

    private ZooCfg() {}

    /**
     * Writes the file's text.
     *
     * @param protocol value of {@code ordering.protocol}
     * @param linearizableReads whether a protocol other than zab answers reads linearizably
     * @param dataDirectory the server's data, with its myid
     * @param self index of the server among all, from 0
     * @param ensemble ports of all servers; their ids are 1, 2, 3, ...
     * @param extra further keys; they win, but for those of shared disks where there are none
     * @return the text
     */
    static String text(
            String protocol,
            boolean linearizableReads,
            Path dataDirectory,
            int self,
            List<Ports> ensemble,
            Map<String, String> extra) {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("tickTime", "2000");
        keys.put("initLimit", "30");
        keys.put("syncLimit", "30");
        keys.put("dataDir", dataDirectory.toString());
        keys.put("clientPort", Integer.toString(ensemble.get(self).client()));
        keys.put("clientPortAddress", ensemble.get(self).host());
        keys.put("maxClientCnxns", "0");
        keys.put("admin.enableServer", "false");
        keys.put("4lw.commands.whitelist", "srvr,mntr");
        keys.put("ordering.protocol", protocol);
        if (!protocol.equals(ServerCommand.ZAB)) {
            // zab forces its log before it acknowledges, by default; this is the same
            keys.put("ordering.durability", "sync");
            keys.put("reads", linearizableReads ? "linearizable" : "sequential");
        }
        for (int i = 0; i < ensemble.size(); i++) {
            Ports ports = ensemble.get(i);
            keys.put("server." + (i + 1), ports.host() + ":" + ports.quorum() + ":" + ports.election());
        }
        extra.forEach((key, value) -> {
            if (!key.startsWith(SharedDisks.KEYS) || protocol.equals(SharedDisks.PROTOCOL)) {
                keys.put(key, value);
            }
        });
        StringBuilder text = new StringBuilder();
        keys.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }
}
