package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.LinkAuthentication;
import io.chainkeeper.config.LinkSecret;
import io.chainkeeper.config.MyIdFile;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.DirectoryClaim;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import io.chainkeeper.server.connection.ClientConnections;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.sasl.QuorumSasl;
import io.chainkeeper.server.state.ExecutionProfile;
import io.chainkeeper.server.tls.ClientTls;
import io.chainkeeper.server.tls.QuorumTls;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerAuthentication;
import io.chainkeeper.transport.PeerSecret;
import io.chainkeeper.transport.PeerTls;
import io.chainkeeper.transport.TransportSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a replica from its checked configuration: the ZooKeeper server over a {@link ReplicatedOrdering}. */
public final class ReplicaStarter implements ServerStarter {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaStarter.class);

    @Override
    public RunningServer start(StartupConfig config) throws IOException {
        ChainkeeperServer server = replica(config, ReplicaPlatform.OF_SYSTEM);
        server.startClientsFirst();
        MyIdFile.writeIfMissing(
                config.peerConfig().getDataDir().toPath(), config.ordering().replicaId());
        return new Running(server);
    }

    /**
     * Starts a replica inside this process, for programs that look inside it.
     *
     * @param config checked configuration
     * @return the replica; it lets clients in as soon as it has caught up with the order
     * @throws IOException if a file or port cannot be opened; the message names it and the remedy
     */
    public static ChainkeeperServer startReplica(StartupConfig config) throws IOException {
        return startReplica(config, ReplicaPlatform.OF_SYSTEM);
    }

    /**
     * As {@link #startReplica(StartupConfig)}.
     *
     * @param config checked configuration
     * @param platform clocks, threads and sockets of the replica
     * @return the replica
     * @throws IOException if a file or port cannot be opened; the message names it and the remedy
     */
    public static ChainkeeperServer startReplica(StartupConfig config, ReplicaPlatform platform) throws IOException {
        ChainkeeperServer server = replica(config, platform);
        server.start();
        return server;
    }

    private static ChainkeeperServer replica(StartupConfig config, ReplicaPlatform platform) throws IOException {
        String refusal = SizeLimits.refusal(
                BinaryInputArchive.maxBuffer, Runtime.getRuntime().maxMemory());
        if (refusal != null) {
            throw new UserMistakeException(Exit.INVALID_CONFIGURATION, refusal);
        }
        SharedDiskStart.check(config);
        QuorumPeerConfig peerConfig = config.peerConfig();
        Path orderingDirectory = config.ordering().orderingDirectory();
        ClientConnections.choose();
        // Before ZooKeeper's provider reads the same stores, and logs what is wrong with them less clearly.
        ClientTls.check(peerConfig.getSecureClientPortAddress() != null
                || Boolean.getBoolean(NettyServerCnxnFactory.PORT_UNIFICATION_KEY));
        AuthenticationSchemes.enable();
        String unsayable = AuthenticationSchemes.refusal();
        if (unsayable != null) {
            throw new UserMistakeException(Exit.INVALID_CONFIGURATION, unsayable);
        }
        long executionProfile = ExecutionProfile.of(QuorumPeerConfig.isReconfigEnabled());
        PeerTls tls = linkTls(peerConfig, config.reloadLinkCertificates());
        ReplicatedOrdering ordering = new ReplicatedOrdering(
                config.ordering(),
                config.factory(),
                executionProfile,
                () -> clusterOf(orderingDirectory),
                () -> levelOf(orderingDirectory),
                peerConfig.getQuorumListenOnAllIPs(),
                tls,
                linkAuthentication(config),
                linkSecret(config.linkSecret()),
                platform);
        return new ChainkeeperServer(
                peerConfig, config.ordering(), ordering, platform.server(), () -> DirectoryClaim.of(orderingDirectory));
    }

    private static PeerTls linkTls(QuorumPeerConfig config, boolean reloads) throws IOException {
        boolean unified = config.shouldUsePortUnification();
        if (unified) {
            LOG.warn("portUnification=true: replica links without TLS are let in too. Set it to false as soon as all"
                    + " servers have sslQuorum=true");
        }
        return config.isSslQuorum() || unified
                ? new QuorumTls(new ZKConfig(), new QuorumTls.Use(config.isSslQuorum(), unified, reloads))
                : null;
    }

    private static PeerAuthentication linkAuthentication(StartupConfig config) throws IOException {
        LinkAuthentication settings = config.linkAuthentication();
        if (settings == null) {
            return null;
        }
        if (!settings.serverRequired()) {
            LOG.warn("quorum.auth.serverRequireSasl=false: servers that do not authenticate themselves are let in too."
                    + " Set it to true as soon as all servers have quorum.auth.learnerRequireSasl=true");
        }
        Set<String> hosts = config.ordering().addresses().values().stream()
                .map(PeerAddress::host)
                .collect(Collectors.toSet());
        return new QuorumSasl(settings, hosts);
    }

    private static PeerSecret linkSecret(LinkSecret settings) throws IOException {
        if (settings == null) {
            return null;
        }
        if (!settings.required()) {
            LOG.warn(
                    "ordering.secretRequired=false: servers that do not know the secret are let in too. Remove the line"
                            + " as soon as all servers have ordering.secretFile");
        }
        return new SecretFile(settings);
    }

    private static long clusterOf(Path orderingDirectory) {
        ClusterIdentity identity = identity(orderingDirectory);
        if (identity == null || identity.clusterId() == null) {
            return TransportSettings.UNKNOWN_CLUSTER;
        }
        return identity.clusterId().getMostSignificantBits();
    }

    private static FeatureLevel levelOf(Path orderingDirectory) {
        ClusterIdentity identity = identity(orderingDirectory);
        return identity == null ? FeatureLevel.NONE : identity.level();
    }

    private static ClusterIdentity identity(Path orderingDirectory) {
        try {
            return ClusterIdentity.read(orderingDirectory);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private record Running(ChainkeeperServer server) implements RunningServer {
        @Override
        public boolean awaitStarted() throws InterruptedException {
            return server.awaitStarted();
        }

        @Override
        public String failureMessage() {
            return server.failureMessage();
        }

        @Override
        public int awaitEnd() throws InterruptedException {
            return server.awaitShutdown();
        }

        @Override
        public void close() {
            server.shutdown();
        }
    }
}
