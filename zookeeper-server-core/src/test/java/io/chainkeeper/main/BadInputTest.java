package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Each mistake of a user: one line that names file or key and the remedy, the exit code, nothing modified. */
@RunWith(Parameterized.class)
public class BadInputTest {
    /** Spoils a right configuration. */
    private interface Mistake {
        void make(ServerFiles files) throws IOException;
    }

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Mistake mistake;
    private final int exitCode;
    private final String[] expected;

    public BadInputTest(String name, Mistake mistake, int exitCode, String[] expected) {
        this.mistake = mistake;
        this.exitCode = exitCode;
        this.expected = expected;
    }

    private static Object[] row(String name, Mistake mistake, int exitCode, String... expected) {
        return new Object[] {name, mistake, exitCode, expected};
    }

    private static Object[] line(String line, String... expected) {
        List<String> all = new ArrayList<>(List.of(expected));
        all.add("zoo.cfg:11: " + line.trim());
        return row(line, files -> files.addLine(line), 2, all.toArray(String[]::new));
    }

    private static Object[] replaced(String key, String line, String... expected) {
        return row(key + " replaced by " + line, files -> files.replaceLine(key, line), 2, expected);
    }

    private static Object[] myId(String text, String... expected) {
        List<String> all = new ArrayList<>(List.of(expected));
        all.add("data/myid");
        all.add("write the id of this server (1, 2 or 3)");
        String name = "myid " + text.replaceAll("\\R", "|");
        return row(name, files -> files.writeMyId(text), 2, all.toArray(String[]::new));
    }

    @Parameters(name = "{0}")
    public static List<Object[]> mistakes() {
        List<Object[]> rows = new ArrayList<>();
        rows.addAll(orderingKeys());
        rows.addAll(serverLists());
        rows.addAll(zooKeeperKeys());
        rows.addAll(monitoringKeys());
        rows.addAll(switches());
        rows.addAll(myIds());
        rows.addAll(directories());
        rows.addAll(ports());
        return rows;
    }

    private static List<Object[]> orderingKeys() {
        return List.of(
                line("ordering.protocol=raft", "unknown protocol", "use one of chain, other, zab"),
                line("ordering.protocol=", "unknown protocol"),
                line("ordering.protocol=Chain", "unknown protocol"),
                line("ordering.protocoll=chain", "unknown key", "ordering.protocol"),
                line("ordering.batch=3", "unknown key", "ordering.durability, ordering.featureLevel"),
                line("chain.windw=3", "unknown key", "chain.window"),
                line("other.windw=3", "unknown key", "other.window"),
                row(
                        "chain.window=0",
                        files -> files.addLine("chain.window=0"),
                        2,
                        "zoo.cfg:11: chain.window=0 is out of range; give a number from 1 to 9"),
                row(
                        "other.window=x",
                        files -> files.addLine("other.window=x"),
                        2,
                        "zoo.cfg:11: other.window=x is not a whole number; give one from 1 to 9"),
                line("ordering.durability=fsync", "use one of sync, async, memory"),
                line("ordering.logStore=rocksdb", "use one of segmented, lmdb"),
                line("ordering.logRetentionBytes=1g", "write a number of bytes from 1048576 to 1099511627776"),
                line(
                        "ordering.secretFile=no-such-file",
                        "no-such-file cannot be read",
                        "let the server's user read it"),
                line("ordering.secretRequired=false", "there is no secret", "ordering.secretFile"),
                line("ordering.secretRequired=no", "write true or false"),
                line("ordering.logRetentionBytes=12", "write a number of bytes"),
                line("ordering.heapReservePercent=51", "write a number of percent from 0 to 50"),
                line("ordering.maxWatches=-1", "write a number of watches from 0 to 1000000000"),
                line("ordering.diskReserveBytes=64m", "write a number of bytes from 1048576 to 1099511627776"),
                line("ordering.digestAuditSeconds=0", "write a number of seconds from 1 to 86400"),
                line("ordering.stateTransferBytesPerSecond=100", "write a number of bytes from 65536 to 1099511627776"),
                line("ordering.checkpointBytes=0", "write a number of bytes from 65536 to 1099511627776"),
                line("reads=strong", "use one of linearizable, sequential"),
                row(
                        "two protocols",
                        files -> {
                            List<String> lines = files.rightLines();
                            lines.set(0, "ordering.protocol=zab");
                            lines.add("ordering.protocol=chain");
                            files.writeCfg(lines);
                        },
                        2,
                        "zoo.cfg:11: ordering.protocol=chain",
                        "line 1 has already set",
                        "remove one of the two"),
                row(
                        "zab with an unknown ordering key",
                        files -> {
                            List<String> lines = files.rightLines();
                            lines.set(0, "ordering.protocol=zab");
                            lines.add("ordering.fast=true");
                            files.writeCfg(lines);
                        },
                        2,
                        "zoo.cfg:11: ordering.fast=true",
                        "unknown key"));
    }

    private static List<Object[]> serverLists() {
        return List.of(
                line("server.1=127.0.0.1:1:2", "line 8 has already set server.1", "remove one of the two lines"),
                line("server.01=127.0.0.1:1:2", "line 8 already describes server 1", "an id of its own"),
                row(
                        "two servers with one address",
                        files -> files.addLine("server.4=127.0.0.1:" + files.ports.get(3) + ":2"),
                        2,
                        "zoo.cfg:11: server.4",
                        "server.2 (line 9) has the address"),
                row(
                        "two names of one address",
                        files -> files.addLine("server.4=localhost:" + files.ports.get(3) + ":2"),
                        2,
                        "zoo.cfg:11: server.4",
                        "server.2 has the address",
                        "of its own"),
                line("server.4=127.0.0.1:2888", "host:port:port"),
                line("server.4=127.0.0.1:2888:2888", "must differ"),
                line("server.4=127.0.0.1:99999:2", "port 99999 is not a number from 1 to 65535"),
                line("server.4=127.0.0.1:1:2:leader", "neither participant nor observer"),
                line("server.4=127.0.0.1:1:2|127.0.0.1:3:4", "several addresses"),
                line("server.0=127.0.0.1:1:2", "server id 0 is not a number from 1 to 255"),
                line("server.256=127.0.0.1:1:2", "server id 256 is not a number from 1 to 255"),
                line("server.x=127.0.0.1:1:2", "server id x is not a number"),
                line("group.1=1:2:3", "groups and weights are not supported", "ordering.protocol=zab"),
                line("weight.1=1", "groups and weights are not supported"),
                line("oraclePath=/tmp/oracle", "a quorum oracle is not supported"),
                row(
                        "dynamic file missing",
                        files -> {
                            List<String> lines = files.rightLines().subList(0, 7);
                            lines.add("dynamicConfigFile=" + files.root.resolve("zoo.cfg.dynamic"));
                            files.writeCfg(lines);
                        },
                        2,
                        "zoo.cfg:8: dynamicConfigFile=",
                        "zoo.cfg.dynamic does not exist"),
                row(
                        "duplicate id in the dynamic file",
                        files -> {
                            List<String> servers = files.rightLines().subList(7, 10);
                            servers.add("server.2=127.0.0.1:1:2");
                            Files.write(files.root.resolve("zoo.cfg.dynamic"), servers);
                            List<String> lines = files.rightLines().subList(0, 7);
                            lines.add("dynamicConfigFile=" + files.root.resolve("zoo.cfg.dynamic"));
                            files.writeCfg(lines);
                        },
                        2,
                        "zoo.cfg.dynamic:4: server.2",
                        "line 2 has already set"));
    }

    private static List<Object[]> monitoringKeys() {
        return List.of(
                line("jvm.pause.warn-threshold.ms=10s", "not a number"),
                line("metricsProvider.httpPort=70OO", "not a number"),
                line("metricsProvider.httpPort=70000", "1 to 65535"),
                row(
                        "class of metrics that there is not",
                        files -> files.addLine("metricsProvider.className=no.such.Metrics"),
                        2,
                        "zoo.cfg: there is no class no.such.Metrics"));
    }

    private static List<Object[]> zooKeeperKeys() {
        return List.of(
                replaced("tickTime", "tickTime=2s", "zoo.cfg:2: tickTime=2s", "not a number"),
                replaced("initLimit", null, "zoo.cfg", "initLimit is not set"),
                replaced("dataDir", null, "zoo.cfg", "dataDir is missing", "add dataDir="),
                replaced("clientPort", "clientPort=70000", "zoo.cfg:7: clientPort=70000", "1 to 65535"),
                replaced("clientPort", "clientPort=\\u00zz", "zoo.cfg:7", "backslash"),
                line("standaloneEnabled=perhaps", "write true or false"),
                line("quorum.auth.enableSasl=yes", "write true or false"),
                row(
                        "SASL demanded and not enabled",
                        files -> {
                            List<String> lines = files.rightLines();
                            lines.add("quorum.auth.serverRequireSasl=true");
                            files.writeCfg(lines);
                        },
                        2,
                        "zoo.cfg: quorum.auth.enableSasl is disabled"),
                line("connectionMaxTokens=many", "not a number"),
                line("connectionDropIncrease=little", "not a number"),
                line("requestThrottleLimit=1e3", "not a number"),
                line("ordering.slowRequestMillis=1s", "milliseconds from 0 to 3600000"),
                line("ordering.traceEvery=-1", "commands from 0 to 1000000000"),
                line("fsync.warningthresholdms=1s", "milliseconds from 0 to 999999999"),
                line("fsync.warningthresholdms=-1", "milliseconds from 0 to 999999999"),
                line("requestThrottleDropStale=never", "write true or false"),
                line("admin.serverPort=80a", "not a number"),
                line("admin.serverPort=80000", "1 to 65535"),
                line("admin.forceHttps=yes", "write true or false"),
                line("admin.tree.enabled=yes", "write true or false"),
                line("enforce.auth.enabled=1", "write true or false"),
                line("largeRequestThreshold=1M", "not a number"),
                withNio("secureClientPort=2281"),
                withNio("client.portUnification=true"),
                row(
                        "server lines with reconfig, wrong limit",
                        files -> {
                            List<String> lines = files.rightLines();
                            lines.set(0, "reconfigEnabled=true");
                            lines.add("minSessionTimeout=90000");
                            files.writeCfg(lines);
                        },
                        2,
                        "zoo.cfg",
                        "minSessionTimeout"),
                row("no file", files -> Files.delete(files.zooCfg), 2, "zoo.cfg does not exist", "conf/zoo_sample.cfg"),
                row(
                        "a directory",
                        files -> {
                            Files.delete(files.zooCfg);
                            Files.createDirectory(files.zooCfg);
                        },
                        2,
                        "zoo.cfg is not a readable file"));
    }

    private static List<Object[]> switches() {
        return List.of(
                line("admin.enableServer=no", "write true or false"),
                line("audit.enable=yes", "write true or false"),
                line("sessionRequireClientSASLAuth=1", "write true or false"),
                line("DigestAuthenticationProvider.enabled=yes", "write true or false"),
                line("ssl.crl=yes", "write true or false"),
                line("ssl.hostnameVerification=yes", "write true or false"),
                line("ssl.quorum.hostnameVerification=on", "write true or false"),
                line("ssl.quorum.ocsp=1", "write true or false"));
    }

    private static Object[] withNio(String line) {
        return row(
                line + " with NIO",
                files -> {
                    List<String> lines = files.rightLines();
                    lines.add("serverCnxnFactory=org.apache.zookeeper.server.NIOServerCnxnFactory");
                    lines.add(line);
                    files.writeCfg(lines);
                },
                2,
                "zoo.cfg",
                line,
                "has no TLS",
                "NettyServerCnxnFactory");
    }

    private static List<Object[]> myIds() {
        return List.of(
                row(
                        "no myid",
                        files -> Files.delete(files.dataDirectory.resolve("myid")),
                        2,
                        "data/myid does not exist",
                        "create it and write the id of this server (1, 2 or 3)"),
                row(
                        "no data directory",
                        files -> files.replaceLine("dataDir", "dataDir=" + files.root.resolve("none")),
                        2,
                        "none/myid does not exist"),
                row(
                        "myid is a directory",
                        files -> {
                            Files.delete(files.dataDirectory.resolve("myid"));
                            Files.createDirectory(files.dataDirectory.resolve("myid"));
                        },
                        2,
                        "data/myid is not a readable file"),
                myId("", "empty"),
                myId("\n1\n", "empty"),
                myId("one\n", "\"one\", which is not a number"),
                myId("1 \n", "\"1 \", which is not a number"),
                myId("0\n", "says 0, which is not within 1 to 255"),
                myId("-1\n", "says -1, which is not within 1 to 255"),
                myId("256\n", "says 256, which is not within 1 to 255"),
                myId("99999999999999999999\n", "not a number"),
                myId("7\n", "says 7", "zoo.cfg has no line server.7=", "add that line"),
                row(
                        "255 with extended types",
                        files -> {
                            files.addLine("extendedTypesEnabled=true");
                            files.writeMyId("255");
                        },
                        2,
                        "says 255, which is not within 1 to 254"));
    }

    private static List<Object[]> directories() {
        return List.of(
                row(
                        "a file in the place of version-2",
                        files -> {
                            Files.delete(files.dataDirectory.resolve("version-2/snapshot.0"));
                            Files.delete(files.dataDirectory.resolve("version-2"));
                            Files.writeString(files.dataDirectory.resolve("version-2"), "");
                        },
                        3,
                        "dataDir=",
                        "version-2 is not a directory",
                        "change dataDir"),
                row(
                        "a file in the place of ordering",
                        files -> {
                            Files.delete(files.dataDirectory.resolve("ordering"));
                            Files.writeString(files.dataDirectory.resolve("ordering"), "");
                        },
                        3,
                        "dataDir=",
                        "ordering is not a directory"),
                row(
                        "a file in the place of dataLogDir",
                        files -> {
                            Files.writeString(files.root.resolve("log"), "");
                            files.addLine("dataLogDir=" + files.root.resolve("log"));
                        },
                        3,
                        "dataLogDir=",
                        "log is not a directory",
                        "change dataLogDir"),
                row(
                        "data of another server",
                        files -> writeIdentity(files, "formatVersion=1\nreplicaId=2\nclusterId=\n"),
                        3,
                        "ordering/identity",
                        "holds the data of server 2",
                        "data/myid says 1",
                        "correct myid"),
                row(
                        "damaged identity",
                        files -> writeIdentity(files, "formatVersion=1\nrepl"),
                        3,
                        "ordering/identity is damaged"),
                row(
                        "creation forbidden",
                        files -> {
                            files.addLine("datadir.autocreate=false");
                            Files.delete(files.dataDirectory.resolve("version-2/snapshot.0"));
                            Files.delete(files.dataDirectory.resolve("version-2"));
                        },
                        3,
                        "version-2 does not exist",
                        "create it"));
    }

    private static void writeIdentity(ServerFiles files, String text) throws IOException {
        Files.writeString(files.dataDirectory.resolve("ordering").resolve(ClusterIdentity.FILE_NAME), text);
    }

    private static List<Object[]> ports() {
        return List.of(
                row(
                        "client port is the link's",
                        files -> files.replaceLine("clientPort", "clientPort=" + files.ports.get(1)),
                        2,
                        "zoo.cfg:7: clientPort=",
                        "same port as that of the replica link"),
                row(
                        "address of another machine",
                        files -> files.replaceLine("server.1", "server.1=192.0.2.1:1024:2"),
                        1,
                        "zoo.cfg:8: server.1=192.0.2.1:1024:2",
                        "cannot listen on 192.0.2.1:1024"),
                row(
                        "unknown name",
                        files -> files.replaceLine("server.1", "server.1=no-such-host.invalid:1024:2"),
                        1,
                        "zoo.cfg:8: server.1=",
                        "does not resolve"));
    }

    @Test
    public void started_oneLineAndNothingModified() throws IOException {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        mistake.make(files);
        try {
            assertRefused(files, exitCode, expected);
        } finally {
            System.clearProperty("zookeeper.datadir.autocreate");
            System.clearProperty("zookeeper.extendedTypesEnabled");
            System.clearProperty("zookeeper.client.portUnification");
            System.clearProperty("zookeeper.authProvider.x509");
        }
    }

    static void assertRefused(ServerFiles files, int exitCode, String... expected) throws IOException {
        assertRefused(files, List.of(new NamedProtocol("chain"), new NamedProtocol("other")), exitCode, expected);
    }

    static void assertRefused(
            ServerFiles files, List<OrderingProtocolFactory> protocols, int exitCode, String... expected)
            throws IOException {
        SortedMap<String, String> before = files.contents();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        ServerLauncher launcher = new ServerLauncher(
                protocols,
                config -> {
                    throw new AssertionError("started: " + config);
                },
                args -> {
                    throw new AssertionError("the stock server was started");
                },
                new PrintStream(err, true, StandardCharsets.UTF_8));
        int actual = launcher.run(new String[] {files.zooCfg.toString()});
        String message = err.toString(StandardCharsets.UTF_8);
        assertEquals(message, exitCode, actual);
        assertEquals(message, 1, message.lines().count());
        for (String fragment : expected) {
            assertTrue(fragment + " in " + message, message.contains(fragment));
        }
        assertFalse(message, message.contains("Exception"));
        assertEquals(before, files.contents());
    }
}
