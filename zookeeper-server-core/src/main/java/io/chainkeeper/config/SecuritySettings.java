package io.chainkeeper.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Refuses settings that promise an encrypted port which the server would not have. */
final class SecuritySettings {
    private static final String CONNECTION_FACTORY_PROPERTY = "zookeeper.serverCnxnFactory";
    private static final Set<String> PLAIN_FACTORIES = Set.of(
            "org.apache.zookeeper.server.NIOServerCnxnFactory", "io.chainkeeper.server.connection.ClientConnections");
    private static final String NETTY_FACTORY_LINE =
            "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory";
    private static final String SECURE_PORT = "secureClientPort";
    private static final List<String> CLIENT_PORT_UNIFICATION =
            List.of("client.portUnification", "zookeeper.client.portUnification");

    private SecuritySettings() {}

    /**
     * Checks a file; ZooKeeper's parser has already made system properties of the keys that it does not know.
     *
     * @param zooCfg the file
     * @throws UserMistakeException if it asks for something that there is not
     */
    static void check(SettingsFile zooCfg) throws UserMistakeException {
        if (!isPlainFactory()) {
            return;
        }
        Optional<SettingsFile.Entry> securePort = zooCfg.find(SECURE_PORT);
        if (securePort.isPresent()) {
            throw needsNetty(zooCfg, securePort.get());
        }
        for (String key : CLIENT_PORT_UNIFICATION) {
            Optional<SettingsFile.Entry> unification = zooCfg.find(key).filter(SecuritySettings::isTrue);
            if (unification.isPresent()) {
                throw needsNetty(zooCfg, unification.get());
            }
        }
    }

    private static boolean isTrue(SettingsFile.Entry entry) {
        return Boolean.parseBoolean(entry.value());
    }

    private static boolean isPlainFactory() {
        return PLAIN_FACTORIES.contains(System.getProperty(CONNECTION_FACTORY_PROPERTY, ""));
    }

    private static UserMistakeException needsNetty(SettingsFile zooCfg, SettingsFile.Entry entry) {
        return UserMistakeException.inConfiguration(
                "%s: ZooKeeper's NIO connection factory has no TLS; remove serverCnxnFactory or write %s",
                zooCfg.at(entry), NETTY_FACTORY_LINE);
    }
}
