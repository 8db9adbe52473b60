package io.chainkeeper.server.tls;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.After;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ClientTlsTest {
    private static final String LOCATION = "zookeeper.ssl.keyStore.location";
    private static final String PASSWORD = "zookeeper.ssl.keyStore.password";
    private static final String PASSWORD_FILE = "zookeeper.ssl.keyStore.passwordPath";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static Path store;

    @BeforeClass
    public static void createStore() throws Exception {
        new TlsStores(FOLDER.getRoot().toPath()).create("server", "ip:127.0.0.1");
        store = FOLDER.getRoot().toPath().resolve("server.p12");
    }

    @After
    public void clearProperties() {
        List.of(LOCATION, PASSWORD, PASSWORD_FILE).forEach(System::clearProperty);
    }

    private static void set(Path location, String password) {
        System.setProperty(LOCATION, location.toString());
        System.setProperty(PASSWORD, password);
    }

    private static void assertRefused(String part) {
        String message =
                assertThrows(IOException.class, () -> ClientTls.check(true)).getMessage();
        assertTrue(message, message.contains(part));
        assertEquals("one line: " + message, 1, message.lines().count());
    }

    @Test
    public void storeIsReadable_nothingHappens() throws Exception {
        set(store, TlsStores.PASSWORD);
        ClientTls.check(true);
    }

    @Test
    public void noStore_messageNamesTheKey() {
        assertRefused("ssl.keyStore.location is not set");
    }

    @Test
    public void wrongPasswordOrMissingFile_messageNamesTheKeys() {
        set(store, "wrong");
        assertRefused("check ssl.keyStore.location, ssl.trustStore.location and their passwords");
        set(store.resolveSibling("absent.p12"), TlsStores.PASSWORD);
        assertRefused("absent.p12");
    }

    @Test
    public void passwordFileMissing_messageNamesTheFile() {
        set(store, "");
        System.setProperty(
                PASSWORD_FILE, store.resolveSibling("absent.password").toString());
        assertRefused("absent.password");
    }

    @Test
    public void noClientUsesTls_nothingIsRead() throws Exception {
        set(store, "wrong");
        ClientTls.check(false);
    }
}
