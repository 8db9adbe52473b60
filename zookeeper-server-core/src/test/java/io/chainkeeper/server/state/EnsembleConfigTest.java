package io.chainkeeper.server.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.transport.PeerAddress;
import java.io.StringReader;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;
import org.junit.Test;

public class EnsembleConfigTest {
    private static final String TEXT = "server.1=127.0.0.1:2888:3888:participant;0.0.0.0:2181\n"
            + "server.2=[0:0:0:0:0:0:0:1]:2888:3888:observer;[0:0:0:0:0:0:0:1]:2182\n"
            + "server.40=host-4.example:1:2:participant\n"
            + "version=10000000a";

    private static QuorumVerifier verifier(String... lines) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(String.join("\n", lines)));
        return QuorumPeerConfig.parseDynamicConfig(properties, 3, false, false, null);
    }

    @Test
    public void text_isReadBackAsItIs() {
        EnsembleConfig configuration = EnsembleConfig.parse(TEXT);
        assertEquals(TEXT, configuration.text());
        assertEquals(0x10000000aL, configuration.version());
        assertEquals(new Ensemble(List.of(1, 40), List.of(2)), configuration.ensemble());
        assertEquals(
                new PeerAddress("0:0:0:0:0:0:0:1", 2888),
                configuration.addresses().get(2));
        assertEquals("version=0", EnsembleConfig.parse("version=0").text());
    }

    @Test
    public void everyLineCutShort_isRefused() {
        for (int length = 0; length < TEXT.length() - 9; length++) {
            String prefix = TEXT.substring(0, length);
            assertThrows(prefix, IllegalArgumentException.class, () -> EnsembleConfig.parse(prefix));
        }
    }

    @Test
    public void numbersOutOfRange_areRefused() {
        EnsembleConfig.parse("server.255=h:0:65535:participant;h:65535\nversion=0");
        for (String line : List.of(
                "server.0=h:1:2:participant",
                "server.256=h:1:2:participant",
                "server.1=h:65536:2:participant",
                "server.1=h:1:65536:participant",
                "server.1=h:1:2:participant;h:65536",
                "server.1=h:1:1:participant",
                "server.1=h|i:1:2:participant")) {
            assertThrows(line, IllegalArgumentException.class, () -> EnsembleConfig.parse(line + "\nversion=0"));
        }
    }

    @Test
    public void zooKeepersClasses_giveTheSameTextInAnyLocale() throws Exception {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            QuorumVerifier parsed = verifier(TEXT.split("\n"));
            EnsembleConfig configuration = EnsembleConfig.of(parsed);
            assertEquals(TEXT, configuration.text());
            assertEquals(TEXT, configuration.verifier().toString());
            assertEquals(2, configuration.verifier().getVotingMembers().size());
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    public void whatOrderingProtocolsDoNotHave_isNamed() throws Exception {
        QuorumVerifier groups =
                verifier("server.1=127.0.0.1:1:2", "server.2=127.0.0.1:3:4", "group.1=1:2", "weight.1=1", "weight.2=1");
        assertTrue(refusal(groups).contains("groups"));
        assertTrue(refusal(verifier("server.1=127.0.0.1:1:2", "server.300=127.0.0.1:3:4"))
                .contains("300"));
    }

    private static String refusal(QuorumVerifier verifier) {
        return assertThrows(IllegalArgumentException.class, () -> EnsembleConfig.of(verifier))
                .getMessage();
    }

    private static EnsemblePlan plan(String... participants) {
        StringBuilder text = new StringBuilder();
        for (String id : participants) {
            text.append("server.").append(id).append("=h:1:2:participant\n");
        }
        return new EnsemblePlan(1, 1, 1, 1, EnsembleConfig.parse(text + "version=0"));
    }

    @Test
    public void planIsReached_whenJoinersVoteAndLeaversDoNot() {
        EnsembleConfig three = plan("1", "2", "3").configuration();
        EnsemblePlan four = plan("1", "2", "3", "4");
        assertFalse(four.reached(null, three));
        assertFalse(four.reached(members(1, 2, 3), three));
        assertTrue(four.reached(members(1, 2, 3, 4), three));
        assertTrue("3 is down and removed for the time being", four.reached(members(1, 2, 4), three));
        assertFalse("no majority", four.reached(members(1, 4), three));
        EnsemblePlan other = plan("1", "2", "4");
        assertFalse("3 still votes", other.reached(members(1, 2, 3, 4), three));
        assertTrue(other.reached(members(4, 2, 1), three));
        assertTrue("only addresses change", plan("1", "2", "3").reached(null, three));
    }

    private static Membership members(Integer... ids) {
        return Membership.initial(1, List.of(ids));
    }
}
