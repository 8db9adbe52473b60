package org.apache.curator.test;

import io.chainkeeper.compatibility.EnsembleMember;
import io.chainkeeper.compatibility.InProcessEnsemble;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Stands before the class of this name in Curator's test library, through which that starts its servers. This one
 * starts Chainkeeper: a replica where Curator asks for a member of a cluster, three replicas where it asks for a single
 * server. The first of the three then has the port that Curator knows.
 */
public class ZooKeeperServerEmbeddedAdapter implements ZooKeeperMainFace {
    private static final List<String> NOT_FOR_ALL = List.of("dataDir", "clientPort");

    private EnsembleMember member;
    private InProcessEnsemble ensemble;
    private int clientPort;

    @Override
    public void start(QuorumPeerConfigBuilder configBuilder) {
        try {
            Properties properties = configBuilder.buildProperties();
            Map<String, String> settings = new LinkedHashMap<>();
            properties.forEach((key, value) -> settings.put(key.toString(), value.toString()));
            Path directory = Path.of(properties.getProperty("dataDir"));
            if (properties.keySet().stream().anyMatch(key -> key.toString().startsWith("server."))) {
                clientPort = Integer.parseInt(properties.getProperty("clientPort"));
                settings.remove("clientPort");
                member = EnsembleMember.start(directory, settings);
            } else {
                startThree(directory, settings);
            }
        } catch (Exception e) {
            throw new FailedServerStartException(e);
        }
    }

    private void startThree(Path directory, Map<String, String> settings) throws IOException {
        int port = Integer.parseInt(settings.get("clientPort"));
        Map<String, String> ofAll = new LinkedHashMap<>(settings);
        ofAll.keySet().removeAll(NOT_FOR_ALL);
        ensemble = new InProcessEnsemble(directory, InProcessEnsemble.DEFAULT_SIZE, ofAll);
        if (port != 0) {
            ensemble.useClientPort(1, port);
        }
        clientPort = ensemble.clientPort(1);
        ensemble.startAll();
    }

    @Override
    public int getClientPort() {
        return clientPort;
    }

    @Override
    public void kill() {
        close();
    }

    @Override
    public void close() {
        if (member != null) {
            member.close();
        }
        if (ensemble != null) {
            ensemble.close();
        }
    }
}
