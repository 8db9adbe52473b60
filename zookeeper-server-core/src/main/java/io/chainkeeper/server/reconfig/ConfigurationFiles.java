package io.chainkeeper.server.reconfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;

/** Keeps a configuration in the files that the next start reads, as ZooKeeper does. Stateless. */
final class ConfigurationFiles {
    private static final String DYNAMIC_FILE_KEY = "dynamicConfigFile";

    private ConfigurationFiles() {}

    /**
     * Writes {@code zoo.cfg.dynamic.<version>} and lets zoo.cfg name it; the first time zoo.cfg is kept as
     * {@code zoo.cfg.bak}, because its comments and {@code server.N} lines are lost.
     *
     * @param zooCfg the main file
     * @param verifier the configuration
     * @param eraseClientPort whether the configuration says where this server listens for clients
     * @throws IOException if a file cannot be written; the message names it
     */
    static void write(Path zooCfg, QuorumVerifier verifier, boolean eraseClientPort) throws IOException {
        if (Files.readAllLines(zooCfg).stream().noneMatch(line -> line.trim().startsWith(DYNAMIC_FILE_KEY))) {
            Files.copy(zooCfg, Path.of(zooCfg + ".bak"), StandardCopyOption.REPLACE_EXISTING);
        }
        String dynamicFile = zooCfg + ".dynamic." + Long.toHexString(verifier.getVersion());
        QuorumPeerConfig.writeDynamicConfig(dynamicFile, verifier, false);
        QuorumPeerConfig.editStaticConfig(zooCfg.toString(), dynamicFile, eraseClientPort);
    }
}
