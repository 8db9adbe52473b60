package io.chainkeeper.transport.bulk;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.After;

/** Two linked replicas, for the tests of bulk requests between them. */
abstract class StateChannelPair {
    /** Ends what {@link #hold} holds. */
    final CountDownLatch letGo = new CountDownLatch(1);

    TestReplica one;
    TestReplica two;

    @After
    public void closeReplicas() {
        letGo.countDown();
        if (two != null) {
            two.close();
        }
        if (one != null) {
            one.close();
        }
    }

    /** Starts both, each with this responder, and waits for the link. */
    final void startPair(StateResponder responder, UnaryOperator<TransportSettings.Builder> changes)
            throws IOException {
        // Who dials learns the other's port last: a link that is up would go down with a change of addresses.
        two = TestReplica.start(2, TestReplica.expecting(1), changes, responder);
        one = TestReplica.start(1, two.asPeer(2), changes, responder);
        two.transport.setPeers(one.asPeer(1));
        one.awaitUp(2);
        two.awaitUp(1);
    }

    /** A responder that blocks until the test ends. */
    final ByteSlice hold(int peer, ByteSlice request) throws IOException {
        try {
            letGo.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the transport closes");
        }
        return request;
    }

    /** Asks, and returns what the failure says. */
    static String failure(StateChannel channel) {
        return assertThrows(IOException.class, () -> channel.call(ByteSlice.EMPTY))
                .getMessage();
    }

    static void assertContains(String text, String... parts) {
        for (String part : parts) {
            assertTrue("'" + part + "' is missing in: " + text, text.contains(part));
        }
    }
}
