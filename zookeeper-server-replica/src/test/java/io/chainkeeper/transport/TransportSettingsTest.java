package io.chainkeeper.transport;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class TransportSettingsTest {
    private static final Map<Integer, PeerAddress> MEMBERS =
            Map.of(7, new PeerAddress("c", 3), 1, new PeerAddress("a", 1), 3, new PeerAddress("b", 2));

    private static void assertRefused(String part, Runnable attempt) {
        String message =
                assertThrows(IllegalArgumentException.class, attempt::run).getMessage();
        assertTrue(message, message.contains(part));
    }

    @Test
    public void membersInAnyOrder_areAscending() {
        TransportSettings settings =
                TransportSettings.builder(3, "chain", MEMBERS).build();

        assertEquals(List.of(1, 3, 7), List.copyOf(settings.members().keySet()));
        assertEquals(TransportSettings.UNKNOWN_CLUSTER, settings.clusterId());
        assertEquals(TransportLimits.DEFAULT, settings.limits());
    }

    @Test
    public void ownIdIsNoMember_isRefused() {
        assertRefused(
                "server.2", () -> TransportSettings.builder(2, "chain", MEMBERS).build());
    }

    @Test
    public void idOutOfRange_isRefused() {
        for (int id : List.of(0, 256)) {
            Map<Integer, PeerAddress> members = Map.of(1, new PeerAddress("a", 1), id, new PeerAddress("b", 1));
            assertRefused(
                    "1 to 255",
                    () -> TransportSettings.builder(1, "chain", members).build());
        }
    }

    @Test
    public void protocolNameTooLongOrEmpty_isRefused() {
        String tooLong = "x".repeat(TransportSettings.MAX_PROTOCOL_BYTES + 1);
        assertRefused(
                "ordering.protocol",
                () -> TransportSettings.builder(3, tooLong, MEMBERS).build());
        assertRefused(
                "ordering.protocol",
                () -> TransportSettings.builder(3, "", MEMBERS).build());
    }

    @Test
    public void limitsThatContradictEachOther_areRefused() {
        TransportLimits limits = TransportLimits.DEFAULT;
        assertRefused("maxOutboundBytesPerLink", () -> limits.withSizes(1000, 1003));
        assertRefused("maxFrameBytes", () -> limits.withSizes(0, 1000));
        assertRefused("idleLimitMillis", () -> limits.withSilence(1000, 1999));
        assertRefused("pingIntervalMillis", () -> limits.withSilence(0, 10));
        assertRefused("handshakeTimeoutMillis", () -> limits.withHandshakes(0, 1));
        assertRefused("maxPendingHandshakes", () -> limits.withHandshakes(1, 0));
        assertRefused("maxStateConnections", () -> limits.withStateConnections(0, 10, 10));
        assertRefused("stateIdleLimitMillis", () -> limits.withStateConnections(1, 3, 10));
        assertRefused("stateAnswerLimitMillis", () -> limits.withStateConnections(1, 10, 0));
    }

    private static boolean admits(PeerSecret secret) {
        return TransportSettings.builder(1, "chain", MEMBERS)
                .secret(secret)
                .build()
                .admitsUnauthenticated();
    }

    private static PeerSecret secret(boolean required) {
        return new PeerSecret() {
            @Override
            public List<ByteSlice> current() {
                return List.of(ByteSlice.of("the secret of the ensemble".getBytes(StandardCharsets.UTF_8)));
            }

            @Override
            public boolean isRequired() {
                return required;
            }
        };
    }

    @Test
    public void onlyARequiredSecret_makesLinksAuthenticated() {
        assertTrue(admits(null));
        assertTrue(admits(secret(false)));
        assertFalse(admits(secret(true)));
    }
}
