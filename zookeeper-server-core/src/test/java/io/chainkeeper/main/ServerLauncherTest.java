package io.chainkeeper.main;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.transport.PeerAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.slf4j.LoggerFactory;

public class ServerLauncherTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private ServerFiles files;
    private StartupConfig started;
    private String[] stockArguments;
    private boolean closed;
    private ServerStarter starter = this::start;
    private int serverExitCode;

    @Before
    public void createFiles() throws IOException {
        files = new ServerFiles(folder.getRoot().toPath());
    }

    @After
    public void restoreStatics() {
        QuorumPeerConfig.setReconfigEnabled(false);
        QuorumPeerConfig.setStandaloneEnabled(true);
    }

    private ServerStarter.RunningServer start(StartupConfig config) {
        started = config;
        return new ServerStarter.RunningServer() {
            @Override
            public boolean awaitStarted() {
                return true;
            }

            @Override
            public String failureMessage() {
                return serverExitCode == 0 ? null : "the disk is gone";
            }

            @Override
            public int awaitEnd() {
                return serverExitCode;
            }

            @Override
            public void close() {
                closed = true;
            }
        };
    }

    private int run(String... args) {
        return new ServerLauncher(
                        List.of(new NamedProtocol("chain"), new NamedProtocol("other")),
                        starter,
                        stock -> stockArguments = stock,
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(args);
    }

    private int runFile() {
        return run(files.zooCfg.toString());
    }

    private String message() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    public void noOrderingKeys_chainWithDefaults() {
        assertEquals(message(), 0, runFile());
        OrderingConfig ordering = started.ordering();
        assertEquals("chain", ordering.protocol());
        assertEquals("chain", started.factory().name());
        assertEquals(Durability.SYNC, ordering.durability());
        assertEquals(LogStore.SEGMENTED, ordering.logStore());
        assertEquals(ReadConsistency.LINEARIZABLE, ordering.reads());
        assertEquals(1, ordering.replicaId());
        assertEquals(files.dataDirectory.resolve("ordering"), ordering.orderingDirectory());
        assertEquals(OrderingConfig.DEFAULT_LOG_RETENTION_BYTES, ordering.logRetentionBytes());
        assertEquals(Safeguards.DEFAULT, ordering.safeguards());
        assertEquals(64 << 20, ordering.stateTransferBytesPerSecond());
        assertEquals(64 << 20, ordering.checkpointBytes());
        assertEquals(Map.of(), ordering.protocolSettings());
        assertEquals(List.of(1, 2, 3), List.copyOf(ordering.members().keySet()));
        assertEquals(
                new PeerAddress("127.0.0.1", files.ports.get(3)),
                ordering.members().get(2));
        assertEquals(2000, started.peerConfig().getTickTime());
        assertTrue(closed);
        assertEquals("", message());
    }

    @Test
    public void everyOrderingKeySet_configSaysSo() throws IOException {
        files.addLine(String.join(
                "\n",
                "ordering.protocol = other",
                "ordering.durability: async",
                "ordering.logStore=lmdb",
                "ordering.logRetentionBytes=\\",
                "   1048576",
                "ordering.diskReserveBytes=2097152",
                "ordering.digestAuditSeconds=5",
                "ordering.heapReservePercent=30",
                "ordering.maxWatches=1000",
                "ordering.stateTransferBytesPerSecond=65536",
                "ordering.checkpointBytes=131072",
                "reads=sequential",
                "dataLogDir=" + files.root.resolve("log"),
                "chain.window=3",
                "other.window=4"));
        assertEquals(message(), 0, runFile());
        OrderingConfig ordering = started.ordering();
        assertEquals("other", ordering.protocol());
        assertEquals("other", started.factory().name());
        assertEquals(Durability.ASYNC, ordering.durability());
        assertEquals(LogStore.LMDB, ordering.logStore());
        assertEquals(ReadConsistency.SEQUENTIAL, ordering.reads());
        assertEquals(1048576, ordering.logRetentionBytes());
        assertEquals(new Safeguards(2097152, 5, 30, 1000), ordering.safeguards());
        assertEquals(65536, ordering.stateTransferBytesPerSecond());
        assertEquals(131072, ordering.checkpointBytes());
        assertEquals(Map.of("other.window", "4"), ordering.protocolSettings());
        assertEquals(files.root.resolve("log/ordering"), ordering.orderingDirectory());
    }

    @Test
    public void reconfigEnabled_noBackupOfTheFileIsWritten() throws IOException {
        files.addLine("reconfigEnabled=true");
        SortedMap<String, String> before = files.contents();
        assertEquals(message(), 0, runFile());
        assertTrue(QuorumPeerConfig.isReconfigEnabled());
        assertEquals(before, files.contents());
    }

    @Test
    public void serverLinesInDynamicFile_areRead() throws IOException {
        List<String> lines = files.rightLines();
        Files.write(files.root.resolve("zoo.cfg.dynamic.100000001"), lines.subList(7, 10));
        List<String> mainLines = List.copyOf(lines.subList(0, 7));
        files.writeCfg(mainLines);
        Files.writeString(
                files.zooCfg,
                String.join("\n", mainLines) + "\ndynamicConfigFile=" + files.root.resolve("zoo.cfg.dynamic.100000001")
                        + "\n");
        assertEquals(message(), 0, runFile());
        assertEquals(3, started.ordering().members().size());
        assertEquals(0x100000001L, started.peerConfig().getQuorumVerifier().getVersion());
    }

    @Test
    public void clientAddressInServerLine_isUsed() throws IOException {
        files.replaceLine(
                "server.1",
                "server.1=127.0.0.1:" + files.ports.get(1) + ":" + files.ports.get(2) + ":participant;127.0.0.1:"
                        + files.ports.get(0));
        List<String> lines = new java.util.ArrayList<>(Files.readAllLines(files.zooCfg));
        lines.removeIf(line -> line.startsWith("clientPort"));
        files.writeCfg(lines);
        assertEquals(message(), 0, runFile());
        assertEquals(
                files.ports.get(0).intValue(),
                started.peerConfig().getClientPortAddress().getPort());
    }

    @Test
    public void ipv6Address_losesItsBrackets() throws IOException {
        files.replaceLine("server.2", "server.2=[::1]:" + files.ports.get(3) + ":" + files.ports.get(4));
        assertEquals(message(), 0, runFile());
        assertEquals(
                new PeerAddress("::1", files.ports.get(3)),
                started.ordering().members().get(2));
    }

    @Test
    public void nameOfAnotherServerDoesNotResolve_isNoMistake() throws IOException {
        files.replaceLine("server.3", "server.3=no-such-host.invalid:2888:3888");
        assertEquals(message(), 0, runFile());
        assertEquals(3, started.ordering().members().size());
    }

    @Test
    public void zab_stockServerRuns() throws IOException {
        files.addLine("ordering.protocol=zab\nserver.4=127.0.0.1:1:2:observer\ngroup.1=1:2:3");
        assertEquals(message(), 0, runFile());
        assertArrayEquals(new String[] {files.zooCfg.toString()}, stockArguments);
        assertNull(started);
    }

    @Test
    public void observers_areNoMembers() throws IOException {
        files.addLine("server.4=127.0.0.1:1:2:observer\nserver.5=127.0.0.1:3:4:Observer;127.0.0.1:5");
        assertEquals(message(), 0, runFile());
        OrderingConfig ordering = started.ordering();
        assertEquals(List.of(1, 2, 3), List.copyOf(ordering.members().keySet()));
        assertEquals(new Ensemble(List.of(1, 2, 3), List.of(4, 5)), ordering.ensemble());
        assertEquals(new PeerAddress("127.0.0.1", 3), ordering.addresses().get(5));
        assertEquals(5, ordering.addresses().size());
    }

    @Test
    public void peerTypeDiffersFromTheServerLine_serverLineCounts() throws IOException {
        files.addLine("peerType=observer");
        assertEquals(message(), 0, runFile());
        assertEquals(LearnerType.PARTICIPANT, started.peerConfig().getPeerType());
        files.replaceLine("server.1", files.rightLines().get(7) + ":observer");
        assertEquals(message(), 0, runFile());
        assertEquals(LearnerType.OBSERVER, started.peerConfig().getPeerType());
        assertEquals(List.of(1), started.ordering().ensemble().observers());
    }

    @Test
    public void noServerLines_stockServerRuns() throws IOException {
        files.writeCfg(files.rightLines().subList(0, 7));
        assertEquals(message(), 0, runFile());
        assertArrayEquals(new String[] {files.zooCfg.toString()}, stockArguments);
    }

    @Test
    public void oneServerLine_stockServerRuns() throws IOException {
        files.writeCfg(files.rightLines().subList(0, 8));
        assertEquals(message(), 0, runFile());
        assertArrayEquals(new String[] {files.zooCfg.toString()}, stockArguments);
    }

    /** As ZooKeeper does it; but somebody who names a protocol wants it. */
    @Test
    public void oneServerLineAndAProtocol_logSaysThatItHasNoEffect() throws IOException {
        List<String> lines = files.rightLines().subList(0, 8);
        lines.add("ordering.protocol=chain");
        files.writeCfg(lines);
        Logger logger = (Logger) LoggerFactory.getLogger(OrderingConfigParser.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            assertEquals(message(), 0, runFile());
        } finally {
            logger.detachAppender(log);
        }
        assertArrayEquals(new String[] {files.zooCfg.toString()}, stockArguments);
        assertEquals(1, log.list.size());
        String line = log.list.get(0).getFormattedMessage();
        assertTrue(line, line.startsWith(files.zooCfg + ":9: ordering.protocol=chain has no effect"));
        assertTrue(line, line.contains("standaloneEnabled=false"));
    }

    @Test
    public void oneServerLineWithoutStandalone_ensembleOfOne() throws IOException {
        List<String> lines = files.rightLines().subList(0, 8);
        lines.add("standaloneEnabled=false");
        files.writeCfg(lines);
        assertEquals(message(), 0, runFile());
        assertEquals(1, started.ordering().members().size());
    }

    @Test
    public void portAndDirectoryAsArguments_stockServerRuns() {
        assertEquals(0, run("2181", "data"));
        assertArrayEquals(new String[] {"2181", "data"}, stockArguments);
    }

    @Test
    public void noArguments_usage() {
        assertEquals(2, run());
        assertTrue(message(), message().startsWith("Usage: "));
    }

    @Test
    public void userMistakeWhileStarting_oneLineAndItsExitCode() {
        starter = config -> {
            throw new UserMistakeException(Exit.DIRECTORY_INACCESSIBLE, "data belongs to server 2;\nuse its own");
        };
        assertEquals(3, runFile());
        assertEquals("data belongs to server 2; use its own" + System.lineSeparator(), message());
    }

    @Test
    public void ioExceptionWhileStarting_oneLine() {
        starter = config -> {
            throw new IOException("snapshot.5 is corrupt; restore it");
        };
        assertEquals(1, runFile());
        assertEquals("snapshot.5 is corrupt; restore it" + System.lineSeparator(), message());
    }

    @Test
    public void causeHasAnExitCode_itIsThePrograms() {
        starter = config -> {
            throw new IOException("the port is taken", new AdminServerException("admin", new IOException("bind")));
        };
        assertEquals(4, runFile());
        starter = config -> {
            throw new IOException("no access", new UserMistakeException(Exit.DIRECTORY_INACCESSIBLE, "no access"));
        };
        assertEquals(3, runFile());
    }

    @Test
    public void unexpectedFailure_oneLineThatSaysSo() {
        starter = config -> {
            throw new IllegalStateException("bug");
        };
        assertEquals(1, runFile());
        assertEquals(1, message().lines().count());
        assertTrue(message(), message().contains("unexpected failure"));
    }

    @Test
    public void serverFailsLater_itsExitCodeIsTheProgramsAndItsReasonIsSaid() {
        serverExitCode = 1;
        assertEquals(1, runFile());
        assertEquals("the disk is gone\n", err.toString(StandardCharsets.UTF_8));
        assertTrue(closed);
    }

    @Test
    public void mainProgram_refusesWithoutStackTrace() {
        PrintStream original = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            assertEquals(2, ChainkeeperMain.run(new String[] {
                files.root.resolve("absent.cfg").toString()
            }));
        } finally {
            System.setErr(original);
        }
        assertEquals(1, message().lines().count());
        assertFalse(message(), message().contains("Exception"));
    }
}
