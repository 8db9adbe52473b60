package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.WireRange;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.Test;

public class HandshakePolicyTest {
    private static final String REMOTE = "10.0.0.9";
    private static final Map<Integer, PeerAddress> MEMBERS = Map.of(
            1, new PeerAddress("a", 1),
            2, new PeerAddress("b", 1),
            3, new PeerAddress("c", 1));

    private final HandshakePolicy policy = policyOf(77);

    private static HandshakePolicy policyOf(long clusterId) {
        return policyOf(clusterId, 5);
    }

    private static HandshakePolicy policyOf(long clusterId, long profile) {
        return new HandshakePolicy(
                TransportSettings.builder(2, "chain", MEMBERS)
                        .clusterId(() -> clusterId)
                        .executionProfile(profile)
                        .profileRule(SharedSettings.OF_LINKS)
                        .build(),
                () -> new TreeSet<>(MEMBERS.keySet()),
                nonce -> {});
    }

    private static Hello hello(int sender, int receiver, long clusterId, long profile, String protocol) {
        return new Hello(sender, receiver, 1, clusterId, profile, Purpose.LINK, protocol);
    }

    private void assertRefused(Refused refusal, String... parts) {
        assertRefused(RefusalKind.ELSEWHERE, refusal, parts);
    }

    private void assertRefused(RefusalKind kind, Refused refusal, String... parts) {
        assertTrue("let in", refusal != null);
        assertEquals(kind, refusal.kind());
        String reason = refusal.reason();
        assertEquals("one line", 1, reason.lines().count());
        for (String part : parts) {
            assertTrue("'" + part + "' is missing in: " + reason, reason.contains(part));
        }
    }

    @Test
    public void sameEnsemble_isLetIn() {
        assertNull(policy.refusalOfAccepted(hello(3, 2, 77, 5, "chain"), REMOTE));
        assertNull(policy.refusalOfDialed(hello(1, 2, 77, 5, "chain"), 1, Purpose.LINK, REMOTE));
    }

    @Test
    public void clusterNotKnownOnOneSide_isLetIn() {
        assertNull(policy.refusalOfAccepted(hello(3, 2, 0, 5, "chain"), REMOTE));
        assertNull(policyOf(0).refusalOfAccepted(hello(3, 2, 88, 5, "chain"), REMOTE));
    }

    @Test
    public void otherCluster_isRefused() {
        assertRefused(
                policy.refusalOfAccepted(hello(3, 2, 78, 5, "chain"), REMOTE),
                "replica 3 (10.0.0.9)",
                "another cluster",
                "dataDir");
        assertRefused(
                policy.refusalOfDialed(hello(1, 2, 78, 5, "chain"), 1, Purpose.LINK, REMOTE), "replica 1", "cluster");
    }

    @Test
    public void otherExecutionProfile_isRefused() {
        assertRefused(
                policy.refusalOfAccepted(hello(3, 2, 77, 6, "chain"), REMOTE),
                "replica 3",
                "execution profile",
                "the log of replica 2");
    }

    @Test
    public void otherExecutionProfile_onlyOwnLogNamesTheSettingsThatDiffer() {
        SortedSet<String> none = new TreeSet<>();
        long own = new SharedSettings(false, false, false, true, "UTF-8", none).number();
        long other = new SharedSettings(true, false, false, false, "UTF-8", none).number();
        HandshakePolicy ownPolicy = policyOf(77, own);
        Refused refused = ownPolicy.refusalOfAccepted(hello(3, 2, 77, other, "chain"), REMOTE);
        assertRefused(refused, "the log of replica 2");
        assertFalse(refused.reason(), refused.reason().contains("digest.enabled"));
        assertEquals(
                "replica 3 (10.0.0.9) has another execution profile than replica 2: zookeeper.digest.enabled is"
                        + " true here and false in replica 3 (10.0.0.9); set the same on all servers",
                refused.report());
    }

    @Test
    public void otherProtocol_isRefused() {
        assertRefused(
                policy.refusalOfAccepted(hello(3, 2, 77, 5, "iss"), REMOTE),
                "replica 3",
                "'iss'",
                "'chain'",
                "ordering.protocol");
    }

    @Test
    public void senderIsNoMember_isRefused() {
        assertRefused(
                RefusalKind.NOT_A_MEMBER,
                policy.refusalOfAccepted(hello(9, 2, 77, 5, "chain"), REMOTE),
                "replica 9",
                "[1, 2, 3]",
                "reconfig");
    }

    @Test
    public void senderIsNoMemberAndOfAnotherCluster_mayNotHopeToBeAdded() {
        assertRefused(policy.refusalOfAccepted(hello(9, 2, 78, 5, "chain"), REMOTE), "replica 9", "cluster");
    }

    @Test
    public void smallerIdAsksForState_isLetIn() {
        Hello hello = new Hello(1, 2, 1, 77, 5, Purpose.STATE, "chain");
        assertNull(policy.refusalOfAccepted(hello, REMOTE));
        assertNull(policy.refusalOfDialed(hello, 1, Purpose.STATE, REMOTE));
        assertRefused(policy.refusalOfDialed(hello, 1, Purpose.LINK, REMOTE), "STATE", "LINK");
    }

    @Test
    public void senderClaimsOurId_isRefused() {
        assertRefused(policy.refusalOfAccepted(hello(2, 2, 77, 5, "chain"), REMOTE), "same myid");
    }

    @Test
    public void meantForAnother_isRefused() {
        assertRefused(policy.refusalOfAccepted(hello(3, 1, 77, 5, "chain"), REMOTE), "reach replica 1", "server.1");
    }

    @Test
    public void smallerIdConnects_isRefused() {
        assertRefused(policy.refusalOfAccepted(hello(1, 2, 77, 5, "chain"), REMOTE), "larger id");
    }

    @Test
    public void anotherAnswersThanDialed_isRefused() {
        assertRefused(
                policy.refusalOfDialed(hello(3, 2, 77, 5, "chain"), 1, Purpose.LINK, REMOTE),
                "replica 1",
                "replica 3",
                "server.1");
    }

    @Test
    public void answerIsMeantForAnother_isRefused() {
        assertRefused(
                policy.refusalOfDialed(hello(1, 3, 77, 5, "chain"), 1, Purpose.LINK, REMOTE), "replica 3", "replica 2");
    }

    @Test
    public void otherVersion_isNamedWithTheRemedy() {
        int own = HandshakeMessage.VERSION;
        assertRefused(
                policy.refusalOfVersion(3, own + 1, REMOTE),
                "replica 3",
                "version " + (own + 1),
                "version " + own,
                "at most one apart");
    }

    private static HandshakePolicy policyAt(FeatureLevel level, FeatureRange known, WireRange wire) {
        return new HandshakePolicy(
                TransportSettings.builder(2, "chain", MEMBERS)
                        .clusterId(() -> 77)
                        .executionProfile(5)
                        .profileRule(SharedSettings.OF_LINKS)
                        .featureLevels(known, () -> level)
                        .wire(wire)
                        .build(),
                () -> new TreeSet<>(MEMBERS.keySet()),
                nonce -> {});
    }

    private static Hello helloOf(PeerRelease release) {
        return new Hello(3, 2, 1, 77, 5, Purpose.LINK, "chain", release, Credentials.NONE);
    }

    private static final FeatureLevel SECOND = new FeatureLevel(2, "0.2.0");
    private static final FeatureRange FIRST_TWO = new FeatureRange(1, 2);

    @Test
    public void otherReleaseThatKnowsTheLevel_isLetIn() {
        HandshakePolicy own = policyAt(SECOND, FIRST_TWO, WireRange.OWN);
        assertNull(own.refusalOfAccepted(
                helloOf(new PeerRelease("0.3.0", new FeatureRange(2, 3), SECOND, new WireRange(1, 4))), REMOTE));
        assertNull(own.refusalOfAccepted(
                helloOf(new PeerRelease("0.3.0", new FeatureRange(2, 3), FeatureLevel.NONE, new WireRange(1, 4))),
                REMOTE));
    }

    @Test
    public void releaseThatDoesNotKnowTheLevel_isToldWhichOneIsNeeded() {
        PeerRelease former = new PeerRelease("0.1.9", new FeatureRange(1, 1), FeatureLevel.FIRST, WireRange.OWN);
        assertRefused(
                RefusalKind.PEER_TOO_OLD,
                policyAt(SECOND, FIRST_TWO, WireRange.OWN).refusalOfAccepted(helloOf(former), REMOTE),
                "replica 3",
                "feature level 2 is in force, but release 0.1.9 knows feature level 1 only",
                "start release 0.2.0 or later");
    }

    @Test
    public void levelThatThisReleaseDoesNotKnow_isNamed() {
        PeerRelease next =
                new PeerRelease("0.3.0", new FeatureRange(2, 3), new FeatureLevel(3, "0.3.0"), WireRange.OWN);
        assertRefused(
                RefusalKind.TOO_OLD,
                policyAt(SECOND, FIRST_TWO, WireRange.OWN).refusalOfAccepted(helloOf(next), REMOTE),
                "replica 2",
                "feature level 3 is in force",
                "start release 0.3.0 or later");
    }

    @Test
    public void nothingInCommon_isRefused() {
        PeerRelease later = new PeerRelease("0.9.0", new FeatureRange(5, 6), FeatureLevel.NONE, WireRange.OWN);
        assertRefused(
                policyAt(FeatureLevel.NONE, FIRST_TWO, WireRange.OWN).refusalOfAccepted(helloOf(later), REMOTE),
                "release 0.9.0",
                "feature levels 5 to 6",
                "feature levels 1 to 2",
                "at most one apart");
        PeerRelease other = new PeerRelease("0.9.0", FIRST_TWO, FeatureLevel.NONE, new WireRange(3, 4));
        assertRefused(
                policyAt(FeatureLevel.NONE, FIRST_TWO, new WireRange(1, 2)).refusalOfAccepted(helloOf(other), REMOTE),
                "versions 3 to 4 of the frames",
                "versions 1 to 2");
    }

    @Test
    public void highestCommonVersion_isThatOfTheLink() {
        assertEquals(2, new WireRange(1, 2).common(new WireRange(2, 3)));
        assertEquals(3, new WireRange(1, 3).common(new WireRange(1, 4)));
        assertEquals(WireRange.NONE, new WireRange(1, 2).common(new WireRange(3, 3)));
    }
}
