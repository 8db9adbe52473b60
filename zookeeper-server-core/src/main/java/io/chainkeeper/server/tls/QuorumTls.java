package io.chainkeeper.server.tls;

import io.chainkeeper.transport.PeerTls;
import java.io.Closeable;
import java.io.IOException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.common.QuorumX509Util;
import org.apache.zookeeper.common.SSLContextAndOptions;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.common.X509Util;
import org.apache.zookeeper.common.ZKConfig;

/**
 * Mutual TLS for replica links with ZooKeeper's quorum keys: {@code ssl.quorum.keyStore.location} and the others, which
 * a zoo.cfg turns into system properties {@code zookeeper.ssl.quorum.*}. Key and trust stores of any type that
 * ZooKeeper reads, its default cipher suites, CRL and OCSP switches all mean what they mean to ZooKeeper, with two
 * exceptions:
 *
 * <ul>
 *   <li>a certificate of the other side is always demanded, whatever {@code ssl.quorum.clientAuth} says;
 *   <li>in FIPS mode, the default since 3.9, ZooKeeper leaves host names in its quorum unverified. Here
 *       {@code ssl.quorum.hostnameVerification} holds there too (default true): the side that connects compares the
 *       certificate with the configured host by the JDK's own rules. Outside FIPS mode ZooKeeper's trust manager
 *       verifies both sides.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class QuorumTls implements PeerTls, Closeable {
    private final QuorumX509Util util;
    private final SSLContext context;
    private final String[] cipherSuites;
    private final String[] protocols;
    private final boolean identifyServer;

    /**
     * Reads the stores once.
     *
     * @param config where the {@code zookeeper.ssl.quorum.*} properties are; {@code new ZKConfig()} takes the system
     *     properties
     * @throws IOException if a store is missing, unreadable or its password wrong; the message names key and remedy
     */
    public QuorumTls(ZKConfig config) throws IOException {
        this.util = new QuorumX509Util();
        try {
            checkKeyStore(config);
            SSLContextAndOptions options = util.createSSLContextAndOptions(config);
            this.context = options.getSSLContext();
            // ZooKeeper shows the protocols and cipher suites that it chose only on the sockets it makes.
            try (SSLSocket client = options.createSSLSocket();
                    SSLServerSocket server = options.createSSLServerSocket()) {
                SSLParameters chosen = client.getSSLParameters();
                this.cipherSuites = chosen.getCipherSuites();
                this.protocols = server.getSSLParameters().getProtocols();
            }
            this.identifyServer = X509Util.getFipsMode(config) && util.isServerHostnameVerificationEnabled(config);
        } catch (X509Exception | IllegalArgumentException e) {
            util.close();
            throw new IOException(
                    "sslQuorum=true, but TLS cannot be set up (" + rootMessage(e) + "): check "
                            + zooCfgKey(util.getSslKeystoreLocationProperty()) + ", "
                            + zooCfgKey(util.getSslTruststoreLocationProperty()) + " and their passwords",
                    e);
        } catch (IOException e) {
            util.close();
            throw e;
        }
    }

    private void checkKeyStore(ZKConfig config) throws IOException {
        String location = config.getProperty(util.getSslKeystoreLocationProperty(), "");
        boolean ownSupplier = config.getProperty(util.getSslContextSupplierClassProperty()) != null;
        if (location.isEmpty() && !ownSupplier) {
            throw new IOException("sslQuorum=true, but " + zooCfgKey(util.getSslKeystoreLocationProperty())
                    + " is not set: name the key store that holds this server's certificate, or set sslQuorum=false"
                    + " on all servers");
        }
    }

    private static String zooCfgKey(String property) {
        return property.substring("zookeeper.".length());
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getClass().getSimpleName() + ": " + root.getMessage();
    }

    @Override
    public SSLEngine client(String host, int port) {
        SSLEngine engine = context.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = parameters(engine);
        if (identifyServer) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    @Override
    public SSLEngine server(String remoteAddress, int remotePort) {
        SSLEngine engine = context.createSSLEngine(remoteAddress, remotePort);
        engine.setUseClientMode(false);
        SSLParameters parameters = parameters(engine);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private SSLParameters parameters(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setCipherSuites(cipherSuites);
        parameters.setProtocols(protocols);
        return parameters;
    }

    /** Releases what ZooKeeper's TLS support holds. Engines already made go on. */
    @Override
    public void close() {
        util.close();
    }
}
