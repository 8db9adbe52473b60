package io.chainkeeper.server.tls;

import io.chainkeeper.transport.PeerTls;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.LongSupplier;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final Logger LOG = LoggerFactory.getLogger(QuorumTls.class);

    private final QuorumX509Util util = new QuorumX509Util();
    private final ZKConfig config;
    private final Use use;
    private final StoreFiles files;
    private volatile Stores stores;

    /**
     * What TLS is used for.
     *
     * @param dials {@code sslQuorum}: whether this replica opens its connections with TLS
     * @param admitsPlain {@code portUnification}: whether members that open theirs without TLS are let in
     * @param reloads {@code sslQuorumReloadCertFiles}: whether a connection that begins after the stores have changed
     *     uses what they hold then
     */
    public record Use(boolean dials, boolean admitsPlain, boolean reloads) {
        /** Links with TLS only, from stores that are read once. */
        public static final Use ALWAYS = new Use(true, false, false);
    }

    /** What was made of the stores. */
    private record Stores(SSLContext context, String[] cipherSuites, String[] protocols, boolean identifyServer) {}

    /**
     * Reads the stores, for links with TLS only.
     *
     * @param config where the {@code zookeeper.ssl.quorum.*} properties are; {@code new ZKConfig()} takes the system
     *     properties
     * @throws IOException if a store is missing, unreadable or its password wrong; the message names key and remedy
     */
    public QuorumTls(ZKConfig config) throws IOException {
        this(config, Use.ALWAYS);
    }

    /**
     * Reads the stores.
     *
     * @param config where the {@code zookeeper.ssl.quorum.*} properties are; {@code new ZKConfig()} takes the system
     *     properties
     * @param use what TLS is used for
     * @throws IOException if a store is missing, unreadable or its password wrong; the message names key and remedy
     */
    public QuorumTls(ZKConfig config, Use use) throws IOException {
        this(config, use, System::nanoTime);
    }

    QuorumTls(ZKConfig config, Use use, LongSupplier nanoClock) throws IOException {
        this.config = config;
        this.use = use;
        this.files = new StoreFiles(
                nanoClock,
                config,
                util.getSslKeystoreLocationProperty(),
                util.getSslTruststoreLocationProperty(),
                util.getSslKeystorePasswdPathProperty(),
                util.getSslTruststorePasswdPathProperty());
        try {
            checkKeyStore();
            files.areDue();
            this.stores = load();
            files.haveBeenRead();
        } catch (X509Exception | IllegalArgumentException | IllegalStateException e) {
            util.close();
            throw new IOException(
                    askedFor() + ", but TLS cannot be set up (" + rootMessage(e) + "): check "
                            + zooCfgKey(util.getSslKeystoreLocationProperty()) + ", "
                            + zooCfgKey(util.getSslTruststoreLocationProperty()) + " and their passwords",
                    e);
        } catch (IOException e) {
            util.close();
            throw e;
        }
    }

    private Stores load() throws X509Exception, IOException {
        SSLContextAndOptions options = util.createSSLContextAndOptions(config);
        // ZooKeeper shows the protocols and cipher suites that it chose only on the sockets it makes.
        try (SSLSocket client = options.createSSLSocket();
                SSLServerSocket server = options.createSSLServerSocket()) {
            return new Stores(
                    options.getSSLContext(),
                    client.getSSLParameters().getCipherSuites(),
                    server.getSSLParameters().getProtocols(),
                    X509Util.getFipsMode(config) && util.isServerHostnameVerificationEnabled(config));
        }
    }

    /** The stores as they are now, or as they were when they could last be read. */
    private synchronized Stores stores() {
        if (use.reloads() && files.areDue()) {
            try {
                stores = load();
                files.haveBeenRead();
                LOG.info("The certificates of replica links have been read again from {}", files);
            } catch (X509Exception | IOException | IllegalArgumentException | IllegalStateException e) {
                String reason = rootMessage(e);
                if (files.haveFailed(reason)) {
                    LOG.warn(
                            "Going on with the certificates in use, because {} cannot be read ({}): correct the files",
                            files,
                            reason);
                }
            }
        }
        return stores;
    }

    private String askedFor() {
        return use.dials() ? "sslQuorum=true" : "portUnification=true";
    }

    private void checkKeyStore() throws IOException {
        String location = config.getProperty(util.getSslKeystoreLocationProperty(), "");
        boolean ownSupplier = config.getProperty(util.getSslContextSupplierClassProperty()) != null;
        if (location.isEmpty() && !ownSupplier) {
            throw new IOException(askedFor() + ", but " + zooCfgKey(util.getSslKeystoreLocationProperty())
                    + " is not set: name the key store that holds this server's certificate, or remove "
                    + askedFor() + " on all servers");
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
    public boolean dials() {
        return use.dials();
    }

    @Override
    public boolean admitsPlain() {
        return use.admitsPlain();
    }

    @Override
    public SSLEngine client(String host, int port) {
        Stores current = stores();
        SSLEngine engine = current.context().createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = parameters(engine, current);
        if (current.identifyServer()) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    @Override
    public SSLEngine server(String remoteAddress, int remotePort) {
        Stores current = stores();
        SSLEngine engine = current.context().createSSLEngine(remoteAddress, remotePort);
        engine.setUseClientMode(false);
        SSLParameters parameters = parameters(engine, current);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLParameters parameters(SSLEngine engine, Stores current) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setCipherSuites(current.cipherSuites());
        parameters.setProtocols(current.protocols());
        return parameters;
    }

    /** Releases what ZooKeeper's TLS support holds. Engines already made go on. */
    @Override
    public void close() {
        util.close();
    }
}
