package io.chainkeeper.server.reconfig;

import io.chainkeeper.server.state.EnsembleConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the configuration to what lies outside of the order: ZooKeeper's peer with its monitoring, the client port,
 * and the files that the next start reads. Used by the maintenance thread only.
 */
public final class ConfigurationView {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationView.class);

    private final QuorumPeer peer;
    private final Path zooCfg;
    private final EffectiveEnsemble ensemble;
    private long shownVersion;
    private boolean lookingUp;
    private boolean contained = true;

    /**
     * @param peer ZooKeeper's peer
     * @param zooCfg the main file; null if there is none, in tests
     * @param shownVersion of the configuration that peer and files have already
     * @param ensemble the configuration in force
     */
    public ConfigurationView(QuorumPeer peer, Path zooCfg, long shownVersion, EffectiveEnsemble ensemble) {
        this.peer = peer;
        this.zooCfg = zooCfg;
        this.shownVersion = shownVersion;
        this.ensemble = ensemble;
    }

    /**
     * Shows the configuration if it has changed, when its names have been looked up.
     *
     * @param clientPort where this server listens for clients
     * @param aside looks names up
     */
    public void show(ClientPort clientPort, Aside aside) {
        EnsembleConfig current = ensemble.effective();
        if (current.version() > shownVersion && !lookingUp) {
            lookingUp = true;
            aside.run(current::verifier, verifier -> {
                lookingUp = false;
                show(verifier, clientPort);
            });
        }
        clientPort.tick();
        sayWhetherContained(current);
    }

    private void show(QuorumVerifier verifier, ClientPort clientPort) {
        shownVersion = verifier.getVersion();
        peer.setQuorumVerifier(verifier, false);
        QuorumServer self = verifier.getAllMembers().get(peer.getMyId());
        write(verifier, self != null && self.clientAddr != null);
        if (self != null) {
            peer.setLearnerType(self.type == LearnerType.OBSERVER ? LearnerType.OBSERVER : LearnerType.PARTICIPANT);
            clientPort.moveTo(self.clientAddr);
        }
    }

    private void write(QuorumVerifier verifier, boolean eraseClientPort) {
        if (zooCfg == null) {
            return;
        }
        try {
            ConfigurationFiles.write(zooCfg, verifier, eraseClientPort);
        } catch (IOException e) {
            // The tree holds it too, and counts if it is newer than the file.
            LOG.error(
                    "{} could not be given the new configuration: {}. It is used all the same; after a restart too, as"
                            + " long as the data directory is kept",
                    zooCfg,
                    e.toString());
        }
    }

    private void sayWhetherContained(EnsembleConfig current) {
        boolean now = ensemble.contained();
        if (contained && !now) {
            LOG.warn(
                    "Server {} is not in the configuration version {}, {}: it serves no clients unless it is added"
                            + " again with reconfig",
                    peer.getMyId(),
                    Long.toHexString(current.version()),
                    current.servers().keySet());
        } else if (!contained && now) {
            LOG.info("Server {} has been added", peer.getMyId());
        }
        contained = now;
    }
}
