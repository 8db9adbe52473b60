package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.netty.RecordingListener;
import java.util.List;
import org.junit.Test;

public class RefusalReporterTest {
    private final RecordingListener listener = new RecordingListener();

    /** No time passes: what is reported depends on it. */
    private final RefusalReporter reporter = new RefusalReporter(1, peer -> peer == 2, listener, () -> 0);

    private void claimed(String reason) {
        reporter.refused(2, Refused.elsewhere(reason), false, outcome -> outcome.accept(false));
    }

    private void proved(String reason) {
        reporter.refused(2, Refused.elsewhere(reason), true, outcome -> outcome.accept(true));
    }

    /** A server that a majority refuses stops: a stranger must not be able to keep it from learning so. */
    @Test
    public void somebodyClaimsToBeThePeer_whatThePeerItselfSaysIsReported() {
        claimed("go away");
        proved("go away");
        assertEquals(RefusalKind.ELSEWHERE, listener.refusalKind(2));
        claimed("another claim");
        proved("another reason");
        assertEquals("both at a bounded rate", List.of("go away", "go away"), listener.refusals(2));
    }

    @Test
    public void peerWasLetIn_nextRefusalIsNews() {
        claimed("go away");
        proved("go away");
        reporter.accepted(2);
        proved("go away");
        claimed("go away");
        assertEquals(4, listener.refusals(2).size());
    }
}
