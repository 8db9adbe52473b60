package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.server.tls.QuorumTls;
import io.chainkeeper.server.tls.QuorumTls.Use;
import io.chainkeeper.server.tls.TlsStores;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.After;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** From plain links to TLS, and from one certificate to the next, while the others go on. */
public class TlsTransitionTest {
    /** {@code portUnification=true}, and sslQuorum not yet. */
    private static final Use PLAIN_AND_UNIFIED = new Use(false, true, false);

    /** {@code portUnification=true} and {@code sslQuorum=true}. */
    private static final Use TLS_AND_UNIFIED = new Use(true, true, false);

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TlsStores stores;

    private final List<QuorumTls> opened = new ArrayList<>();
    private TestReplica one;
    private TestReplica two;

    @BeforeClass
    public static void createStores() throws Exception {
        stores = new TlsStores(FOLDER.getRoot().toPath());
        stores.create("first", "ip:127.0.0.1");
        stores.create("second", "ip:127.0.0.1");
        stores.create("renewed", "ip:127.0.0.1");
    }

    @After
    public void closeAll() {
        if (two != null) {
            two.close();
        }
        one.close();
        opened.forEach(QuorumTls::close);
    }

    private QuorumTls tls(ZKConfig config, Use use) throws IOException {
        QuorumTls tls = new QuorumTls(config, use);
        opened.add(tls);
        return tls;
    }

    private void startOne(Use use) throws IOException {
        QuorumTls tls = tls(stores.config("first", "second"), use);
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.tls(tls));
    }

    private void startTwo(Use use) throws IOException {
        QuorumTls tls = use == null ? null : tls(stores.config("second", "first", "renewed"), use);
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.tls(tls));
    }

    private void restartTwo(Use use) throws IOException {
        if (two != null) {
            two.close();
            Await.until("one notices", () -> !one.listener.isUp(2));
        }
        startTwo(use);
        one.awaitUp(2);
        two.awaitUp(1);
        two.sendNow(1, "under " + use);
        one.awaitText(2, "under " + use);
    }

    @Test(timeout = 120_000)
    public void acceptorIsUnified_dialerChangesFromPlainToTls() throws Exception {
        startOne(PLAIN_AND_UNIFIED);
        restartTwo(null);
        restartTwo(PLAIN_AND_UNIFIED);
        restartTwo(TLS_AND_UNIFIED);
        restartTwo(Use.ALWAYS);
    }

    @Test(timeout = 120_000)
    public void acceptorUsesTlsButIsUnified_plainDialerIsLetIn() throws Exception {
        startOne(TLS_AND_UNIFIED);
        restartTwo(null);
        restartTwo(Use.ALWAYS);
    }

    @Test(timeout = 120_000)
    public void changeIsOver_plainDialerIsRefused() throws Exception {
        startOne(Use.ALWAYS);
        startTwo(PLAIN_AND_UNIFIED);
        two.awaitRefusal(1, "does not speak TLS");
        assertEquals(List.of(), one.listener.events(2));
    }

    @Test(timeout = 120_000)
    public void acceptorIsUnified_strangersCertificateIsStillRefused() throws Exception {
        startOne(TLS_AND_UNIFIED);
        QuorumTls stranger = tls(stores.config("renewed", "first"), Use.ALWAYS);
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.tls(stranger));
        two.awaitRefusal(1, "TLS handshake");
        assertEquals(List.of(), one.listener.events(2));
    }

    private static void put(String identity, Path store) throws IOException {
        Files.copy(FOLDER.getRoot().toPath().resolve(identity + ".p12"), store, StandardCopyOption.REPLACE_EXISTING);
    }

    private ZKConfig configOf(Path store) throws IOException {
        put("first", store);
        ZKConfig config = stores.config("first", "second");
        config.setProperty("zookeeper.ssl.quorum.keyStore.location", store.toString());
        return config;
    }

    /** Trusts only the certificate that replica 1 is to have next. */
    private void restartTwoTrustingTheRenewed() throws IOException {
        two.close();
        QuorumTls tls = tls(stores.config("second", "renewed"), Use.ALWAYS);
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.tls(tls));
    }

    @Test(timeout = 120_000)
    public void storeIsReplaced_newConnectionsUseItAndOthersStay() throws Exception {
        Path store = FOLDER.newFile("store-0.p12").toPath();
        QuorumTls tls = tls(configOf(store), new Use(true, false, true));
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.tls(tls));
        restartTwo(Use.ALWAYS);
        put("renewed", store);
        two.sendNow(1, "the old connection goes on");
        one.awaitText(2, "the old connection goes on");
        restartTwoTrustingTheRenewed();
        two.awaitUp(1);
    }

    @Test(timeout = 120_000)
    public void storeIsReplacedByGarbage_certificateInUseStays() throws Exception {
        Path store = FOLDER.newFile("store-1.p12").toPath();
        QuorumTls tls = tls(configOf(store), new Use(true, false, true));
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.tls(tls));
        Files.writeString(store, "half a key store");
        restartTwo(Use.ALWAYS);
    }

    @Test(timeout = 120_000)
    public void storeIsReplacedWithoutReloading_certificateInUseStays() throws Exception {
        Path store = FOLDER.newFile("store-2.p12").toPath();
        QuorumTls tls = tls(configOf(store), Use.ALWAYS);
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.tls(tls));
        restartTwo(Use.ALWAYS);
        put("renewed", store);
        restartTwoTrustingTheRenewed();
        two.awaitRefusal(1, "TLS handshake");
    }
}
