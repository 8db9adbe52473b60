package io.chainkeeper.server.tls;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLEngine;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class QuorumTlsTest {
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
}
