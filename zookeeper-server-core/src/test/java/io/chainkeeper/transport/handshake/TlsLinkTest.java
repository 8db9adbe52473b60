package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.tls.QuorumTls;
import io.chainkeeper.server.tls.TlsStores;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.After;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Links with ZooKeeper's quorum keys. */
public class TlsLinkTest {
    private static final String PREFIX = "zookeeper.ssl.quorum.";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TlsStores stores;

    private final List<QuorumTls> opened = new ArrayList<>();
    private TestReplica one;
    private TestReplica two;

    @BeforeClass
    public static void createStores() throws Exception {
        stores = new TlsStores(FOLDER.getRoot().toPath());
        stores.create("first", "ip:127.0.0.1,dns:localhost");
        stores.create("second", "ip:127.0.0.1,dns:localhost");
        stores.create("stranger", "ip:127.0.0.1,dns:localhost");
        stores.create("misnamed", "dns:elsewhere.test");
    }

    @After
    public void closeAll() {
        if (two != null) {
            two.close();
        }
        if (one != null) {
            one.close();
        }
        opened.forEach(QuorumTls::close);
    }

    private static ZKConfig with(ZKConfig config, String... keysAndValues) {
        for (int i = 0; i < keysAndValues.length; i += 2) {
            config.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return config;
    }

    private void start(ZKConfig ofOne, ZKConfig ofTwo) throws IOException {
        QuorumTls tlsOfOne = tls(ofOne);
        QuorumTls tlsOfTwo = tls(ofTwo);
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.tls(tlsOfOne));
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.tls(tlsOfTwo));
    }

    private QuorumTls tls(ZKConfig config) throws IOException {
        if (config == null) {
            return null;
        }
        QuorumTls tls = new QuorumTls(config);
        opened.add(tls);
        return tls;
    }

    private void assertLinkWorks() {
        one.awaitUp(2);
        two.awaitUp(1);
        byte[] large = new byte[TestReplica.LIMITS.maxFrameBytes()];
        new Random(5).nextBytes(large);
        two.send(1, large);
        two.sendNow(1, "to one");
        one.sendNow(2, "to two");
        one.awaitText(2, "to one");
        two.awaitText(1, "to two");
        assertEquals(ByteSlice.of(large), one.listener.frames(2).get(0));
    }

    private void assertRefused(String part) {
        two.awaitRefusal(1, part);
        assertEquals(List.of(), one.listener.events(2));
        assertEquals(List.of(), two.listener.events(1));
    }

    @Test(timeout = 120_000)
    public void bothTrustEachOther_framesFlow() throws Exception {
        start(stores.config("first", "second"), stores.config("second", "first"));
        assertLinkWorks();
    }

    @Test(timeout = 120_000)
    public void olderTlsOutsideFipsMode_framesFlow() throws Exception {
        String[] changes = {PREFIX + "enabledProtocols", "TLSv1.2", "zookeeper.fips-mode", "false"};
        start(with(stores.config("first", "second"), changes), with(stores.config("second", "first"), changes));
        assertLinkWorks();
    }

    @Test(timeout = 120_000)
    public void accepterDoesNotTrustTheCertificate_isRefused() throws Exception {
        start(stores.config("first", "second"), stores.config("stranger", "first"));
        assertRefused("TLS handshake");
    }

    @Test(timeout = 120_000)
    public void accepterDoesNotTrustTheCertificateInOlderTls_isRefused() throws Exception {
        start(
                with(stores.config("first", "second"), PREFIX + "enabledProtocols", "TLSv1.2"),
                stores.config("stranger", "first"));
        assertRefused("TLS handshake");
    }

    @Test(timeout = 120_000)
    public void dialerDoesNotTrustTheCertificate_isRefused() throws Exception {
        start(stores.config("stranger", "second"), stores.config("second", "first"));
        assertRefused("TLS handshake");
        assertEquals("who answered has proved nothing", RefusalKind.CLAIMED, two.listener.refusalKind(1));
    }

    @Test(timeout = 120_000)
    public void certificateIsForAnotherHost_isRefused() throws Exception {
        start(stores.config("misnamed", "second"), stores.config("second", "misnamed"));
        assertRefused("ssl.quorum.hostnameVerification");
    }

    @Test(timeout = 120_000)
    public void certificateIsForAnotherHostOutsideFipsMode_isRefused() throws Exception {
        start(
                stores.config("misnamed", "second"),
                with(stores.config("second", "misnamed"), "zookeeper.fips-mode", "false"));
        assertRefused("TLS handshake");
    }

    @Test(timeout = 120_000)
    public void certificateIsForAnotherHostButNobodyAsks_framesFlow() throws Exception {
        start(
                stores.config("misnamed", "second"),
                with(stores.config("second", "misnamed"), PREFIX + "hostnameVerification", "false"));
        assertLinkWorks();
    }

    @Test(timeout = 120_000)
    public void onlyTheAccepterHasTls_bothReport() throws Exception {
        start(stores.config("first", "second"), null);
        assertRefused("replica 2 (127.0.0.1) does not speak TLS");
        one.awaitRefusal(2, "does not speak TLS");
    }

    @Test(timeout = 120_000)
    public void plainTextThatIsNoHello_isCutOff() throws Exception {
        start(stores.config("first", "second"), stores.config("second", "first"));
        assertLinkWorks();
        for (String text : List.of("ruok", "CHKP", "CHKQ", "\u0016\u0003\u0001")) {
            try (RawPeer stranger = new RawPeer(one.address())) {
                stranger.say(text.getBytes(StandardCharsets.US_ASCII)).finish().awaitClosed();
            }
        }
        assertEquals(List.of("up"), one.listener.events(2));
    }

    @Test(timeout = 120_000)
    public void handshakeInPlainText_neverComesUp() throws Exception {
        start(stores.config("first", "second"), null);
        try (RawPeer stranger = new RawPeer(one.address())) {
            stranger.sayAtOnce(
                            RawPeer.encode(RawPeer.hello(2, 1)),
                            RawPeer.encode(new HandshakeMessage.Accepted()),
                            RawPeer.frame("in"))
                    .awaitClosed();
        }
        assertEquals(List.of(), one.listener.events(2));
    }

    @Test(timeout = 120_000)
    public void onlyTheDialerHasTls_dialerIsTold() throws Exception {
        start(null, stores.config("second", "first"));
        assertRefused("sslQuorum");
    }

    @Test(timeout = 120_000)
    public void peerRestartsUnderTls_linkComesBack() throws Exception {
        start(stores.config("first", "second"), stores.config("second", "first"));
        assertLinkWorks();
        two.close();
        Await.until("one notices", () -> !one.listener.isUp(2));
        QuorumTls tls = tls(stores.config("second", "first"));
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.tls(tls));
        one.awaitUp(2);
        two.awaitUp(1);
    }

    @Test(timeout = 120_000)
    public void bulkRequestsUnderTls_areAnswered() throws Exception {
        byte[] longest = new byte[StateChannel.MAX_ANSWER_BYTES];
        new Random(9).nextBytes(longest);
        QuorumTls tlsOfOne = tls(stores.config("first", "second"));
        QuorumTls tlsOfTwo = tls(stores.config("second", "first"));
        StateResponder responder = (peer, request) -> ByteSlice.of(longest);
        // Who dials learns the other's port last: a link that is up would go down with a change of addresses.
        two = TestReplica.start(2, TestReplica.expecting(1), settings -> settings.tls(tlsOfTwo), responder);
        one = TestReplica.start(1, two.asPeer(2), settings -> settings.tls(tlsOfOne), responder);
        two.transport.setPeers(one.asPeer(1));
        try (StateChannel fromTwo = two.transport.openStateChannel(1);
                StateChannel fromOne = one.transport.openStateChannel(2)) {
            for (int i = 0; i < 5; i++) {
                assertEquals(ByteSlice.of(longest), fromTwo.call(ByteSlice.EMPTY));
                assertEquals(ByteSlice.of(longest), fromOne.call(ByteSlice.EMPTY));
            }
        }
        assertLinkWorks();
    }

    @Test(timeout = 120_000)
    public void bulkConnectionOfAStranger_isRefused() throws Exception {
        start(stores.config("first", "second"), stores.config("stranger", "first"));
        String reason = assertThrows(IOException.class, () -> two.transport.openStateChannel(1))
                .getMessage();
        assertTrue(reason, reason.contains("replica 1"));
        assertTrue(reason, reason.contains("TLS handshake"));
    }
}
