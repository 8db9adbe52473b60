package io.chainkeeper.server.admin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.FreePorts;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.server.tls.TlsStores;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.server.admin.DummyAdminServer;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.slf4j.LoggerFactory;

public class AdminSettingsTest {
    private static final String KEY_STORE = "zookeeper.ssl.quorum.keyStore.";
    private static final String TRUST_STORE = "zookeeper.ssl.quorum.trustStore.";
    private static final String PORT = "zookeeper.admin.serverPort";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static ZKConfig tls;

    private final Map<String, String> properties = new HashMap<>();

    @BeforeClass
    public static void createStores() throws Exception {
        TlsStores stores = new TlsStores(FOLDER.getRoot().toPath());
        stores.create("server", "ip:127.0.0.1");
        tls = stores.config("server", "server");
    }

    @Before
    public void setWhatIsRight() {
        properties.put("zookeeper.admin.serverAddress", "127.0.0.1");
        properties.put(PORT, Integer.toString(FreePorts.next()));
    }

    private void setHttps() {
        properties.put("zookeeper.admin.forceHttps", "true");
        for (String key : new String[] {KEY_STORE + "location", KEY_STORE + "password", TRUST_STORE + "location"}) {
            properties.put(key, tls.getProperty(key));
        }
    }

    private void assertRefused(String... parts) {
        String message = assertThrows(UserMistakeException.class, () -> new AdminSettings(properties::get).check())
                .getMessage();
        for (String part : parts) {
            assertTrue(message, message.contains(part));
        }
    }

    @Test
    public void rightSettings_areTaken() throws Exception {
        new AdminSettings(properties::get).check();
        setHttps();
        new AdminSettings(properties::get).check();
        assertEquals("/commands", new AdminSettings(properties::get).commandUrl());
    }

    @Test
    public void passwordInAFile_isTaken() throws Exception {
        setHttps();
        Path file = FOLDER.newFile().toPath();
        Files.writeString(file, properties.remove(KEY_STORE + "password") + System.lineSeparator());
        properties.put(KEY_STORE + "passwordPath", file.toString());
        new AdminSettings(properties::get).check();
        Files.delete(file);
        assertRefused("ssl.quorum.keyStore.passwordPath=" + file);
    }

    @Test
    public void portInUse_isNamed() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            properties.put(PORT, Integer.toString(other.getLocalPort()));
            assertRefused(
                    "admin.serverPort", "127.0.0.1:" + other.getLocalPort(), "stop the process that uses the port");
        }
    }

    @Test
    public void wrongNumbers_areNamed() {
        properties.put(PORT, "99999");
        assertRefused("admin.serverPort=99999", "1 to 65535");
        properties.put(PORT, "many");
        assertRefused("admin.serverPort=many", "not a number");
        properties.put("zookeeper.admin.idleTimeout", "long");
        assertRefused("admin.idleTimeout=long", "not a number");
    }

    @Test
    public void commandUrlWithoutSlash_isNamed() {
        properties.put("zookeeper.admin.commandURL", "commands");
        assertRefused("admin.commandURL=commands", "slash");
    }

    @Test
    public void commandUrlWithAStar_isNamed() {
        properties.put("zookeeper.admin.commandURL", "/comm*ands");
        assertRefused("admin.commandURL=/comm*ands", "no *");
    }

    /** ZooKeeper's class of the commands cannot be loaded with it. */
    @Test
    public void wrongRateLimit_isNamed() throws Exception {
        for (String wrong : new String[] {"5m", "9999999999", "0x10", ""}) {
            properties.put("zookeeper.admin.rateLimiterIntervalInMS", wrong);
            assertRefused("admin.rateLimiterIntervalInMS=" + wrong, "milliseconds");
        }
        for (String right : new String[] {"0", "-1", "300000"}) {
            properties.put("zookeeper.admin.rateLimiterIntervalInMS", right);
            new AdminSettings(properties::get).check();
        }
    }

    @Test
    public void versionOfHttpThatIsNotSpoken_isNamedWhereItMatters() throws Exception {
        for (String version : new String[] {"2", "20", "10"}) {
            properties.put("zookeeper.admin.httpVersion", version);
            new AdminSettings(properties::get).check();
        }
        setHttps();
        for (String version : new String[] {"2", "20", "10"}) {
            properties.put("zookeeper.admin.httpVersion", version);
            assertRefused("admin.httpVersion=" + version, "admin.forceHttps=true", "HTTP/1.1 only");
        }
        properties.put("zookeeper.admin.httpVersion", "11");
        new AdminSettings(properties::get).check();
    }

    @Test
    public void keyStoreThatIsNotThere_isNamed() {
        setHttps();
        properties.put(KEY_STORE + "location", "/nowhere/server.p12");
        assertRefused("ssl.quorum.keyStore.location=/nowhere/server.p12", "correct the path");
        properties.remove(KEY_STORE + "location");
        assertRefused("admin.forceHttps=true needs ssl.quorum.keyStore.location");
    }

    @Test
    public void trustStoreThatIsNoStore_isNamed() throws Exception {
        setHttps();
        Path text = FOLDER.newFile("notes.p12").toPath();
        Files.writeString(text, "not a store");
        properties.put(TRUST_STORE + "location", text.toString());
        assertRefused("ssl.quorum.trustStore.location=" + text + " cannot be used", "ssl.quorum.trustStore.password");
    }

    @Test
    public void wrongPassword_isNamed() {
        setHttps();
        properties.put(KEY_STORE + "password", "wrong");
        assertRefused("ssl.quorum.keyStore.location=", "cannot be used", "ssl.quorum.keyStore.password");
    }

    /** Makes one that complains of its port, unless it is switched off; returns what is logged. */
    private static List<ILoggingEvent> linesOf(String enableServer) {
        Logger logger = (Logger) LoggerFactory.getLogger(OrderedAdminServer.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        String port = System.getProperty(PORT);
        String enabled = System.getProperty("zookeeper.admin.enableServer");
        System.setProperty(PORT, "many");
        System.setProperty("zookeeper.admin.enableServer", enableServer);
        try {
            assertTrue(
                    OrderedAdminServer.create(null, null, null, null, null, null, null, null, () -> 0)
                            instanceof DummyAdminServer);
        } finally {
            restore(PORT, port);
            restore("zookeeper.admin.enableServer", enabled);
            logger.detachAppender(lines);
        }
        return lines.list;
    }

    /** What a user sees. */
    @Test
    public void mistake_isOneLineOfTheLog() {
        List<ILoggingEvent> lines = linesOf("true");
        assertEquals(1, lines.size());
        assertNull(lines.get(0).getThrowableProxy());
        assertEquals(
                "This server runs without its AdminServer: admin.serverPort=many: not a number; correct it or remove"
                        + " the line",
                lines.get(0).getFormattedMessage());
    }

    @Test
    public void switchedOffInCapitals_isOff() {
        assertEquals(List.of(), linesOf("False"));
    }

    private static void restore(String property, String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }
}
