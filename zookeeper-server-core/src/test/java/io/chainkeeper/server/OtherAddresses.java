package io.chainkeeper.server;

import org.apache.zookeeper.server.auth.IPAuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;

/** A provider in the place of ZooKeeper's own for scheme ip: what all servers still have to have in common. */
public final class OtherAddresses extends IPAuthenticationProvider {
    private static final String PROPERTY = "zookeeper.authProvider.other";

    /** As if the server that is started next, and all that follow, had been configured with it. */
    static void configure() {
        System.setProperty(PROPERTY, OtherAddresses.class.getName());
        ProviderRegistry.reset();
    }

    static void remove() {
        System.clearProperty(PROPERTY);
        ProviderRegistry.reset();
    }
}
