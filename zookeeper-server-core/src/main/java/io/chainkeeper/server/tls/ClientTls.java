package io.chainkeeper.server.tls;

import java.io.IOException;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.common.ZKConfig;

/** TLS of the client port. ZooKeeper does all of it, but it notices stores that it cannot read only at a handshake. */
public final class ClientTls {
    private ClientTls() {}

    /**
     * Reads the stores of the client port once, to find out at the start whether they can be read.
     *
     * @param isUsed whether clients can connect with TLS; if not, nothing is checked
     * @throws IOException if a store is missing, unreadable or its password wrong; the message names key and remedy
     */
    public static void check(boolean isUsed) throws IOException {
        ZKConfig config = new ZKConfig();
        try (ClientX509Util util = new ClientX509Util()) {
            boolean ownProvider = config.getProperty(util.getSslAuthProviderProperty()) != null;
            boolean ownSupplier = config.getProperty(util.getSslContextSupplierClassProperty()) != null;
            if (!isUsed || ownProvider || ownSupplier) {
                return;
            }
            String location = config.getProperty(util.getSslKeystoreLocationProperty(), "");
            if (location.isEmpty()) {
                throw new IOException("clients can connect with TLS, but ssl.keyStore.location is not set: name the key"
                        + " store that holds this server's certificate");
            }
            try {
                util.createSSLContextAndOptions(config);
            } catch (X509Exception | IllegalArgumentException | IllegalStateException e) {
                throw new IOException(
                        "TLS of the client port cannot be set up (" + rootMessage(e)
                                + "): check ssl.keyStore.location, ssl.trustStore.location and their passwords",
                        e);
            }
        }
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getClass().getSimpleName() + ": " + root.getMessage();
    }
}
