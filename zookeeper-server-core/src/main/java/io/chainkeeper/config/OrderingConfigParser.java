package io.chainkeeper.config;

import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.release.Release;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a zoo.cfg into what a replica is started from, and finds every mistake in it that can be found without
 * starting: keys, myid, server list, directories, ports. Writes nothing, and loads no server class, because those read
 * system properties that ZooKeeper's parser sets from the file.
 */
public final class OrderingConfigParser {
    private static final Logger LOG = LoggerFactory.getLogger(OrderingConfigParser.class);
    private static final String DATA_DIR = "dataDir";
    private static final String DATA_LOG_DIR = "dataLogDir";
    private static final String VERSION_2 = "version-2";

    private final SortedMap<String, OrderingProtocolFactory> factories = new TreeMap<>();

    /** @param factories the protocols that there are, each with a name of its own */
    public OrderingConfigParser(Iterable<OrderingProtocolFactory> factories) {
        for (OrderingProtocolFactory factory : factories) {
            this.factories.put(factory.name(), factory);
        }
    }

    /**
     * Parses and checks a file.
     *
     * @param path the zoo.cfg
     * @return what to start, or empty if the file asks for the stock server: {@code ordering.protocol=zab}, or no
     *     ensemble at all (no {@code server.N} line, or one and {@code standaloneEnabled} not false)
     * @throws UserMistakeException if the server cannot start with this file on this machine
     */
    public Optional<StartupConfig> parse(Path path) throws UserMistakeException {
        SettingsFile zooCfg = SettingsFile.read(path);
        SettingsFile serverFile = EnsembleLines.locate(zooCfg);
        int serverCount = EnsembleLines.count(serverFile);
        OrderingSettings settings =
                OrderingSettings.parse(zooCfg, factories, EnsembleLines.countParticipants(serverFile));
        boolean standaloneEnabled = !zooCfg.value("standaloneEnabled", "true").equalsIgnoreCase("false");
        if (settings.factory() == null || serverCount == 0 || serverCount == 1 && standaloneEnabled) {
            checkStockServer(zooCfg, settings);
            warnIfWithoutEffect(zooCfg, settings);
            return Optional.empty();
        }
        checkUnsupported(zooCfg, settings.protocol());
        int maxId = maxId(zooCfg);
        EnsembleLines ensemble = EnsembleLines.parse(serverFile, settings.protocol(), maxId);
        int replicaId = MyIdFile.read(dataDirectory(zooCfg), ensemble, maxId);
        KeysWithoutEffect.found(zooCfg, System::getProperty).forEach(LOG::warn);
        QuietPeerConfig peerConfig = ZooKeeperSettings.parse(zooCfg, replicaId);
        SecuritySettings.check(zooCfg);
        checkResolvedAddresses(ensemble, peerConfig);
        checkDirectories(peerConfig);
        Path orderingDirectory = peerConfig.getDataLogDir().toPath().resolve(OrderingConfig.ORDERING_DIRECTORY);
        ClusterIdentity identity =
                checkIdentity(orderingDirectory, peerConfig.getDataDir().toPath(), replicaId);
        DirectoryProtocol.check(zooCfg, orderingDirectory, identity, settings.protocol(), factories.values());
        checkDisks(zooCfg, settings, ensemble, peerConfig, replicaId);
        checkPorts(zooCfg, ensemble, replicaId, peerConfig);
        OrderingConfig ordering = new OrderingConfig(
                settings.protocol(),
                settings.durability(),
                settings.logStore(),
                settings.reads(),
                replicaId,
                ensemble.participants(),
                ensemble.observers(),
                orderingDirectory,
                settings.protocolSettings(),
                settings.logRetentionBytes(),
                settings.safeguards(),
                settings.stateTransferBytesPerSecond(),
                settings.checkpointBytes(),
                settings.featureRaising(),
                settings.tracing());
        return Optional.of(new StartupConfig(
                peerConfig,
                ordering,
                settings.factory(),
                Boolean.parseBoolean(zooCfg.value("sslQuorumReloadCertFiles", "false")),
                peerConfig.linkAuthentication(),
                settings.linkSecret()));
    }

    private void checkStockServer(SettingsFile zooCfg, OrderingSettings settings) throws UserMistakeException {
        String logDirectory = zooCfg.value(DATA_LOG_DIR, zooCfg.value(DATA_DIR, ""));
        if (logDirectory.isEmpty()) {
            return;
        }
        String asked = settings.factory() == null
                ? zooCfg.at(zooCfg.find(OrderingSettings.PROTOCOL).orElseThrow())
                : zooCfg.path() + ": this file asks for ZooKeeper's stand-alone server (several server.N lines, or one"
                        + " and standaloneEnabled=false, for ordering.protocol=" + settings.protocol() + ")";
        DirectoryProtocol.checkStock(asked, Path.of(logDirectory), factories.values());
    }

    private static void warnIfWithoutEffect(SettingsFile zooCfg, OrderingSettings settings) {
        Optional<SettingsFile.Entry> protocol = zooCfg.find(OrderingSettings.PROTOCOL);
        if (settings.factory() != null && protocol.isPresent()) {
            LOG.warn(
                    "{} has no effect: ZooKeeper's stand-alone server is started, because the file has neither several"
                            + " server.N lines, nor one and standaloneEnabled=false",
                    zooCfg.at(protocol.get()));
        }
    }

    private static void checkUnsupported(SettingsFile zooCfg, String protocol) throws UserMistakeException {
        for (SettingsFile.Entry entry : zooCfg.entries()) {
            if (entry.key().equals("oraclePath")) {
                throw EnsembleLines.unsupported(zooCfg, entry, "a quorum oracle is", "remove it", protocol);
            }
        }
    }

    private static int maxId(SettingsFile zooCfg) {
        String extendedTypes = zooCfg.value("extendedTypesEnabled", Boolean.toString(NodeOwners.offersTimeToLive()));
        return Boolean.parseBoolean(extendedTypes) ? ServerLine.MAX_ID_WITH_EXTENDED_TYPES : ServerLine.MAX_ID;
    }

    private static Path dataDirectory(SettingsFile zooCfg) throws UserMistakeException {
        String dataDir = zooCfg.value(DATA_DIR, "");
        if (dataDir.isEmpty()) {
            throw UserMistakeException.inConfiguration(
                    "%s: the key dataDir is missing; add dataDir=/path/to/a/directory", zooCfg.path());
        }
        return Path.of(dataDir);
    }

    /** Finds what a comparison of texts cannot: {@code localhost} and {@code 127.0.0.1}. */
    private static void checkResolvedAddresses(EnsembleLines ensemble, QuorumPeerConfig peerConfig)
            throws UserMistakeException {
        Map<InetSocketAddress, Long> ids = new HashMap<>();
        for (ServerLine line : ensemble.servers()) {
            QuorumServer server = peerConfig.getServers().get((long) line.id());
            for (InetSocketAddress address : server.addr.getAllAddresses()) {
                Long other = address.isUnresolved() ? null : ids.put(address, server.id);
                if (other != null) {
                    throw UserMistakeException.inConfiguration(
                            "%s: server.%d has the address %s too; give each server an address of its own",
                            ensemble.file().at(line.entry()), other, address);
                }
            }
        }
    }

    private static void checkDirectories(QuorumPeerConfig peerConfig) throws UserMistakeException {
        Path dataDirectory = peerConfig.getDataDir().toPath();
        Path logDirectory = peerConfig.getDataLogDir().toPath();
        String logKey = logDirectory.equals(dataDirectory) ? DATA_DIR : DATA_LOG_DIR;
        DirectoryCheck.check(DATA_DIR, dataDirectory, VERSION_2);
        DirectoryCheck.check(logKey, logDirectory, VERSION_2);
        DirectoryCheck.checkUsable(logKey, logDirectory, logDirectory.resolve(OrderingConfig.ORDERING_DIRECTORY));
    }

    private static ClusterIdentity checkIdentity(Path orderingDirectory, Path dataDirectory, int replicaId)
            throws UserMistakeException {
        ClusterIdentity identity = DirectoryProtocol.read(orderingDirectory);
        if (identity != null && identity.replicaId() != replicaId) {
            throw UserMistakeException.inDirectory(
                    "%s: this directory holds the data of server %d, but %s says %d; correct myid, or give this server"
                            + " directories of its own (dataDir, dataLogDir)",
                    orderingDirectory.resolve(ClusterIdentity.FILE_NAME),
                    identity.replicaId(),
                    dataDirectory.resolve("myid"),
                    replicaId);
        }
        checkLevel(orderingDirectory, identity);
        return identity;
    }

    private static void checkDisks(
            SettingsFile zooCfg,
            OrderingSettings settings,
            EnsembleLines ensemble,
            QuorumPeerConfig peerConfig,
            int replicaId)
            throws UserMistakeException {
        SharedDiskSettings disks = SharedDiskSettings.of(zooCfg, settings.factory(), settings.protocolSettings());
        if (disks == null) {
            return;
        }
        String problem = disks.format().refusal(settings.protocolSettings(), ids(ensemble), 1);
        if (problem != null) {
            throw UserMistakeException.inConfiguration("%s: %s", zooCfg.path(), problem);
        }
        try {
            Path logDirectory = peerConfig.getDataLogDir().toPath();
            Path orderingDirectory = logDirectory.resolve(OrderingConfig.ORDERING_DIRECTORY);
            KnownDisks known = KnownDisks.read(orderingDirectory);
            SharedDiskSet found = SharedDiskSet.find(disks, known);
            boolean hasData = DirectoryCheck.hasData(logDirectory.resolve(VERSION_2))
                    || DirectoryCheck.hasData(peerConfig.getDataDir().toPath().resolve(VERSION_2));
            if (known == null && hasData && found.isUsedBy(replicaId)) {
                throw UserMistakeException.inDirectory(
                        "%s: the order on the shared disks knows server %d, but not what dataDir holds; nothing was"
                                + " changed. Put the directory back if it was lost; or empty dataDir and dataLogDir,"
                                + " and the server fetches the state of another one; or, to begin a new order with"
                                + " this data, clear the disks and format them",
                        orderingDirectory, replicaId);
            }
        } catch (UserMistakeException e) {
            throw e;
        } catch (IOException e) {
            throw UserMistakeException.inDirectory("%s", FileFailure.text(e));
        }
    }

    private static Set<Integer> ids(EnsembleLines ensemble) {
        Set<Integer> ids = new TreeSet<>();
        ensemble.servers().forEach(line -> ids.add(line.id()));
        return ids;
    }

    private static void checkLevel(Path orderingDirectory, ClusterIdentity identity) throws UserMistakeException {
        String refusal = identity == null ? null : identity.level().refusal(Release.levels(), Release.name());
        if (refusal != null) {
            throw new UserMistakeException(
                    Exit.CANNOT_START,
                    orderingDirectory.resolve(ClusterIdentity.FILE_NAME) + ": " + refusal + ". Nothing was changed");
        }
    }

    private static void checkPorts(
            SettingsFile zooCfg, EnsembleLines ensemble, int replicaId, QuorumPeerConfig peerConfig)
            throws UserMistakeException {
        ServerLine self = ensemble.find(replicaId).orElseThrow();
        String selfAt = ensemble.file().at(self.entry());
        String clientAt = zooCfg.find("clientPort").map(zooCfg::at).orElse(selfAt);
        String secureAt = zooCfg.find("secureClientPort").map(zooCfg::at).orElse(selfAt);
        checkClientPort(clientAt, peerConfig.getClientPortAddress(), self, selfAt);
        checkClientPort(secureAt, peerConfig.getSecureClientPortAddress(), self, selfAt);
        InetSocketAddress link = Boolean.TRUE.equals(peerConfig.getQuorumListenOnAllIPs())
                ? new InetSocketAddress(self.quorumPort())
                : new InetSocketAddress(self.host(), self.quorumPort());
        PortCheck.check(selfAt, link);
    }

    private static void checkClientPort(String at, InetSocketAddress address, ServerLine self, String selfAt)
            throws UserMistakeException {
        if (address == null) {
            return;
        }
        if (address.getPort() == self.quorumPort()) {
            throw UserMistakeException.inConfiguration(
                    "%s: the same port as that of the replica link in %s; give the two ports of their own", at, selfAt);
        }
        PortCheck.check(at, address);
    }
}
