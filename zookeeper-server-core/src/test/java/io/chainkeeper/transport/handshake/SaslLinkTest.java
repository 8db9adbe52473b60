package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.LinkAuthentication;
import io.chainkeeper.server.sasl.JaasSections;
import io.chainkeeper.server.sasl.QuorumSasl;
import io.chainkeeper.transport.PeerAuthentication;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.handshake.HandshakeMessage.Token;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.login.Configuration;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** SASL with DIGEST-MD5 between replicas: who is let in, and what those learn and change who are not. */
public class SaslLinkTest {
    private static final String FIPS_MODE = "zookeeper.fips-mode";
    private static final String SERVER = "QuorumServer";
    private static final String LEARNER = "QuorumLearner";
    private static final String FAILED = "failed the SASL authentication";
    private static final byte[] EMPTY = {};

    private final List<QuorumSasl> opened = new ArrayList<>();
    private TestReplica one;
    private TestReplica two;

    @Before
    public void configure() {
        System.setProperty(FIPS_MODE, "false");
        Configuration.setConfiguration(new JaasSections()
                .with(SERVER, Map.of("user_zk", "secret"))
                .with(LEARNER, Map.of("username", "zk", "password", "secret"))
                .with("OtherServer", Map.of("user_zk", "another"))
                .with("Guessing", Map.of("username", "zk", "password", "guess"))
                .with("Nobody", Map.of())
                .with("NoPassword", Map.of("username", "zk"))
                .with("Unknown", Map.of("username", "eve", "password", "secret")));
    }

    @After
    public void closeAll() {
        for (TestReplica replica : new TestReplica[] {two, one}) {
            if (replica != null) {
                replica.close();
            }
        }
        opened.forEach(QuorumSasl::close);
        Configuration.setConfiguration(null);
        System.clearProperty(FIPS_MODE);
    }

    private QuorumSasl sasl(boolean learner, boolean server, String learnerSection, String serverSection)
            throws IOException {
        QuorumSasl sasl = new QuorumSasl(
                new LinkAuthentication(learner, server, "zkquorum/localhost", learnerSection, serverSection),
                Set.of("127.0.0.1"));
        opened.add(sasl);
        return sasl;
    }

    private QuorumSasl sasl(boolean learner, boolean server) throws IOException {
        return sasl(learner, server, LEARNER, SERVER);
    }

    private void startOne(PeerAuthentication authentication) throws IOException {
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.authentication(authentication));
    }

    private void startTwo(PeerAuthentication authentication) throws IOException {
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.authentication(authentication));
    }

    private void restartTwo(PeerAuthentication authentication, String text) throws IOException {
        if (two != null) {
            two.close();
            Await.until("one notices", () -> !one.listener.isUp(2));
        }
        startTwo(authentication);
        one.awaitUp(2);
        two.awaitUp(1);
        two.sendNow(1, text);
        one.awaitText(2, text);
    }

    private void assertRefused(String part) {
        two.awaitRefusal(1, part);
        assertEquals(List.of(), one.listener.events(2));
        assertEquals(List.of(), two.listener.events(1));
        IOException noState = assertThrows(IOException.class, () -> two.transport.openStateChannel(1));
        assertTrue(noState.getMessage(), noState.getMessage().contains(part));
    }

    @Test(timeout = 120_000)
    public void samePasswords_linkCarriesFrames() throws Exception {
        startOne(sasl(true, true));
        restartTwo(sasl(true, true), "authenticated");
        one.sendNow(2, "both ways");
        two.awaitText(1, "both ways");
    }

    @Test(timeout = 120_000)
    public void wrongPassword_getsNoState() throws Exception {
        startOne(sasl(true, true));
        startTwo(sasl(true, true, "Guessing", SERVER));
        assertRefused(FAILED);
    }

    @Test(timeout = 120_000)
    public void wrongPasswordWhereNoneIsDemanded_isRefusedAllTheSame() throws Exception {
        startOne(sasl(false, false));
        startTwo(sasl(true, false, "Guessing", SERVER));
        assertRefused(FAILED);
    }

    @Test(timeout = 120_000)
    public void unknownUser_getsNoState() throws Exception {
        startOne(sasl(true, true));
        startTwo(sasl(true, true, "Unknown", SERVER));
        assertRefused(FAILED);
    }

    @Test(timeout = 120_000)
    public void acceptorThatDoesNotKnowThePassword_isToldNothing() throws Exception {
        startOne(sasl(true, true, LEARNER, "OtherServer"));
        startTwo(sasl(true, true));
        assertRefused(FAILED);
        assertEquals("who answered has proved nothing", RefusalKind.CLAIMED, two.listener.refusalKind(1));
    }

    @Test(timeout = 120_000)
    public void authenticationIsDemanded_onesWithoutAreRefused() throws Exception {
        startOne(sasl(true, true));
        startTwo(null);
        assertRefused("did not authenticate itself");
        two.close();
        startTwo(sasl(false, false));
        assertRefused("did not authenticate itself");
    }

    @Test(timeout = 120_000)
    public void acceptorWithoutSasl_saysWhatToSet() throws Exception {
        startOne(null);
        startTwo(sasl(true, true));
        assertRefused("quorum.auth.enableSasl");
    }

    /** One server after the other: enableSasl, learnerRequireSasl, serverRequireSasl. */
    @Test(timeout = 120_000)
    public void changeFromNoneToAll_linksGoOn() throws Exception {
        startOne(null);
        restartTwo(null, "none");
        restartTwo(sasl(false, false), "two is prepared");
        two.close();
        one.close();
        startOne(sasl(false, false));
        two = null;
        restartTwo(sasl(false, false), "both are prepared");
        restartTwo(sasl(true, false), "two authenticates itself");
        two.close();
        one.close();
        startOne(sasl(true, false));
        two = null;
        restartTwo(sasl(true, false), "both authenticate themselves");
        restartTwo(sasl(true, true), "two demands it");
        two.close();
        one.close();
        startOne(sasl(true, true));
        two = null;
        restartTwo(sasl(true, true), "both demand it");
    }

    private RawPeer stranger() throws IOException {
        return new RawPeer(one.address());
    }

    private static String refusal(RawPeer peer) throws Exception {
        HandshakeMessage answer = peer.hear();
        while (!(answer instanceof Refused)) {
            answer = peer.hear();
        }
        return ((Refused) answer).reason();
    }

    @Test(timeout = 120_000)
    public void strangersTokens_areAnsweredWithRefusals() throws Exception {
        startOne(sasl(true, true));
        byte[] longest = new byte[HandshakeMessage.MAX_TOKEN_BODY_BYTES - 1];
        try (RawPeer peer = stranger().say(new Token(false, longest))) {
            assertTrue(refusal(peer).contains(FAILED));
        }
        try (RawPeer peer = stranger().say(new Token(true, EMPTY))) {
            assertTrue(refusal(peer).contains("out of turn"));
        }
        try (RawPeer peer = stranger().say(new Token(false, EMPTY))) {
            assertFalse(((Token) peer.hear()).last());
            peer.say(RawPeer.hello(2, 1));
            assertTrue(refusal(peer).contains("out of turn"));
        }
        try (RawPeer peer = stranger().say(new Token(false, EMPTY))) {
            assertFalse(((Token) peer.hear()).last());
            peer.say(new Token(false, new byte[] {1, 2, 3}));
            assertTrue(refusal(peer).contains(FAILED));
        }
        Hello hello = RawPeer.hello(2, 1, Purpose.STATE);
        try (RawPeer peer = stranger().say(hello)) {
            assertTrue(refusal(peer).contains("did not authenticate itself"));
        }
        assertEquals(List.of(), one.listener.events(2));
    }

    @Test
    public void sectionIsMissing_saysWhichAndWhere() {
        IOException refused = assertThrows(IOException.class, () -> sasl(true, true, "Missing", SERVER));
        assertTrue(refused.getMessage(), refused.getMessage().contains("no JAAS section Missing"));
        assertTrue(refused.getMessage(), refused.getMessage().contains("java.security.auth.login.config"));
    }

    @Test
    public void sectionIsIncomplete_saysWhatToAdd() throws Exception {
        assertRefusedAtStart("NoPassword", SERVER, "JAAS section NoPassword has no password");
        assertRefusedAtStart("Nobody", SERVER, "JAAS section Nobody has no username");
        assertRefusedAtStart(LEARNER, "Nobody", "JAAS section Nobody has no user: add user_NAME");
        sasl(false, true, "Nobody", SERVER);
    }

    private void assertRefusedAtStart(String learnerSection, String serverSection, String part) {
        IOException refused = assertThrows(IOException.class, () -> sasl(true, true, learnerSection, serverSection));
        assertTrue(refused.getMessage(), refused.getMessage().contains(part));
        assertEquals(1, refused.getMessage().lines().count());
    }

    @Test
    public void digestInFipsMode_isRefusedAtStart() throws Exception {
        System.setProperty(FIPS_MODE, "true");
        sasl(false, false);
        IOException refused = assertThrows(IOException.class, () -> sasl(true, true));
        assertTrue(refused.getMessage(), refused.getMessage().contains("fips-mode=false"));
    }
}
