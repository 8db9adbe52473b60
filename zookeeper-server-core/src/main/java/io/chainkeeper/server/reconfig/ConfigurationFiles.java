package io.chainkeeper.server.reconfig;

import io.chainkeeper.config.EditedConfiguration;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;

/** Keeps a configuration in the files that the next start reads, as ZooKeeper does. Stateless. */
final class ConfigurationFiles {
    private static final String DYNAMIC_FILE_KEY = "dynamicConfigFile";

    /** What the keys begin with that ZooKeeper moves to the dynamic file, too. */
    private static final List<String> IN_DYNAMIC_FILE = List.of("server.", "group", "weight", "peerType");

    private ConfigurationFiles() {}

    /**
     * Writes {@code zoo.cfg.dynamic.<version>} and lets zoo.cfg name it; the first time zoo.cfg is kept as
     * {@code zoo.cfg.bak}, because its {@code server.N} lines are lost.
     *
     * @param zooCfg the main file
     * @param verifier the configuration
     * @param eraseClientPort whether the configuration says where this server listens for clients
     * @throws IOException if a file cannot be written; the message names it
     */
    static void write(Path zooCfg, QuorumVerifier verifier, boolean eraseClientPort) throws IOException {
        if (!EditedConfiguration.sets(zooCfg, DYNAMIC_FILE_KEY)) {
            Files.copy(zooCfg, Path.of(zooCfg + ".bak"), StandardCopyOption.REPLACE_EXISTING);
        }
        String dynamicFile = zooCfg + ".dynamic." + Long.toHexString(verifier.getVersion());
        QuorumPeerConfig.writeDynamicConfig(dynamicFile, verifier, false);
        EditedConfiguration.write(
                zooCfg,
                key -> isInDynamicFile(key) || eraseClientPort && key.startsWith("clientPort"),
                DYNAMIC_FILE_KEY,
                new File(dynamicFile).getCanonicalPath());
    }

    private static boolean isInDynamicFile(String key) {
        return IN_DYNAMIC_FILE.stream().anyMatch(key::startsWith);
    }
}
