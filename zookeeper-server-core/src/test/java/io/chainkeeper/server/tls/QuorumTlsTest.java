package io.chainkeeper.server.tls;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.slf4j.LoggerFactory;

public class QuorumTlsTest {
    private static final QuorumTls.Use RELOADS = new QuorumTls.Use(true, false, true);
    private static final String PREFIX = "zookeeper.ssl.quorum.";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TlsStores stores;

    @BeforeClass
    public static void createStores() throws Exception {
        stores = new TlsStores(FOLDER.getRoot().toPath());
        stores.create("server", "ip:127.0.0.1");
    }

    private static String refusal(ZKConfig config) {
        return assertThrows(IOException.class, () -> new QuorumTls(config)).getMessage();
    }

    @Test
    public void noKeyStore_messageNamesTheKey() {
        String message = refusal(new ZKConfig());
        assertTrue(message, message.contains("ssl.quorum.keyStore.location is not set"));
    }

    @Test
    public void wrongPassword_messageNamesTheKeys() throws Exception {
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "keyStore.password", "wrong");
        String message = refusal(config);
        assertTrue(message, message.contains("ssl.quorum.keyStore.location"));
        assertTrue(message, message.contains("password"));
        assertEquals("one line", 1, message.lines().count());
    }

    @Test
    public void passwordFileMissing_messageNamesTheFile() throws Exception {
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "keyStore.password", "");
        config.setProperty(PREFIX + "keyStore.passwordPath", FOLDER.getRoot() + "/absent.password");
        String message = refusal(config);
        assertTrue(message, message.contains("absent.password"));
    }

    @Test
    public void keyStoreFileMissing_messageNamesTheFile() throws Exception {
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "keyStore.location", FOLDER.getRoot() + "/absent.p12");
        String message = refusal(config);
        assertTrue(message, message.contains("absent.p12"));
    }

    @Test
    public void engines_demandCertificatesAndObeyTheConfiguredProtocols() throws Exception {
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "enabledProtocols", "TLSv1.2");
        config.setProperty(PREFIX + "clientAuth", "none");
        try (QuorumTls tls = new QuorumTls(config)) {
            SSLEngine server = tls.server("127.0.0.1", 5);
            assertFalse(server.getUseClientMode());
            assertTrue(server.getNeedClientAuth());
            SSLEngine client = tls.client("host.test", 6);
            assertTrue(client.getUseClientMode());
            assertEquals("host.test", client.getPeerHost());
            for (SSLEngine engine : List.of(server, client)) {
                assertEquals(List.of("TLSv1.2"), List.of(engine.getEnabledProtocols()));
            }
        }
    }

    @Test
    public void hostNameVerificationSwitchedOff_engineIdentifiesNobody() throws Exception {
        ZKConfig config = stores.config("server", "server");
        try (QuorumTls tls = new QuorumTls(config)) {
            assertEquals("HTTPS", tls.client("host.test", 6).getSSLParameters().getEndpointIdentificationAlgorithm());
        }
        config.setProperty(PREFIX + "hostnameVerification", "false");
        try (QuorumTls tls = new QuorumTls(config)) {
            assertEquals(null, tls.client("host.test", 6).getSSLParameters().getEndpointIdentificationAlgorithm());
        }
    }

    /** As after a chown: only reading it tells. */
    @Test
    public void storeCanBeReadAgainAndLooksTheSame_itIsReadAfterAWhileAndTheLogHasComplainedOnce() throws Exception {
        Path store = FOLDER.newFile("store.p12").toPath();
        byte[] content = Files.readAllBytes(FOLDER.getRoot().toPath().resolve("server.p12"));
        Files.write(store, content);
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "keyStore.location", store.toString());
        AtomicLong now = new AtomicLong();
        try (QuorumTls tls = new QuorumTls(config, RELOADS, now::get)) {
            writeInPlace(store, new byte[content.length]);
            assertEquals(List.of(Level.WARN), logged(tls));
            now.addAndGet(TimeUnit.SECONDS.toNanos(10));
            assertEquals("said already", List.of(), logged(tls));
            writeInPlace(store, content);
            assertEquals("it has just been tried", List.of(), logged(tls));
            now.addAndGet(TimeUnit.SECONDS.toNanos(10));
            assertEquals(List.of(Level.INFO), logged(tls));
        }
    }

    @Test
    public void storeIsCorrectedAndLooksDifferent_itIsReadAtOnce() throws Exception {
        Path store = FOLDER.newFile("corrected.p12").toPath();
        byte[] content = Files.readAllBytes(FOLDER.getRoot().toPath().resolve("server.p12"));
        Files.write(store, content);
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "keyStore.location", store.toString());
        try (QuorumTls tls = new QuorumTls(config, RELOADS, () -> 0)) {
            Files.writeString(store, "half a key store");
            assertEquals(List.of(Level.WARN), logged(tls));
            Files.delete(store);
            assertEquals("another reason", List.of(Level.WARN), logged(tls));
            Files.write(store, content);
            assertEquals(List.of(Level.INFO), logged(tls));
        }
    }

    @Test
    public void passwordCannotBeReadAnyMore_linksGoOn() throws Exception {
        Path password = FOLDER.newFile("password").toPath();
        Files.writeString(password, TlsStores.PASSWORD);
        ZKConfig config = stores.config("server", "server");
        config.setProperty(PREFIX + "keyStore.password", "");
        config.setProperty(PREFIX + "keyStore.passwordPath", password.toString());
        try (QuorumTls tls = new QuorumTls(config, RELOADS)) {
            Files.delete(password);
            assertEquals(List.of(Level.WARN), logged(tls));
        }
    }

    private static void writeInPlace(Path store, byte[] content) throws IOException {
        Files.write(store, content);
        Files.setLastModifiedTime(store, FileTime.fromMillis(1_000));
    }

    /** @return the levels of what is logged when three links begin */
    private static List<Level> logged(QuorumTls tls) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(QuorumTls.class);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
        try {
            tls.server("127.0.0.1", 5);
            tls.client("127.0.0.1", 5);
            tls.server("127.0.0.1", 5);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(before);
        }
        return log.list.stream().map(ILoggingEvent::getLevel).toList();
    }
}
