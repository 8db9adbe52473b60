package io.chainkeeper.transport.link;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Who wants no more frames of a peer gets none, whichever connection they come over. */
public class PausedLinkTest {
    private static final int PAUSED = 2;
    private static final int OTHER = 3;

    private final AtomicBoolean full = new AtomicBoolean(true);
    private final List<String> frames = new CopyOnWriteArrayList<>();
    private TestReplica one;

    @Before
    public void start() throws Exception {
        PeerAddress unused = new PeerAddress("127.0.0.1", 1);
        one = TestReplica.start(1, Map.of(PAUSED, unused, OTHER, unused), UnaryOperator.identity());
        one.listener.answerFrames((peer, frame) -> {
            frames.add(peer + new String(frame.toByteArray(), StandardCharsets.UTF_8));
            return peer != PAUSED || !full.get();
        });
    }

    @After
    public void close() {
        one.close();
    }

    @Test(timeout = 120_000)
    public void linkComesUpWhilePaused_isNotReadUntilResumed() throws Exception {
        pauseAndBreak();
        try (RawPeer again = new RawPeer(one.address()).join(PAUSED, 1);
                RawPeer other = new RawPeer(one.address()).join(OTHER, 1)) {
            again.sayFrame("b").sayFrame("c");
            passOf(other);
            assertEquals(List.of("2a"), framesOfPaused());

            full.set(false);
            one.transport.resumeReading(PAUSED);
            await("2c");
            assertEquals(List.of("2a", "2b", "2c"), framesOfPaused());
        }
    }

    @Test(timeout = 120_000)
    public void framesComeWithTheHandshakeWhilePaused_areKeptUntilResumed() throws Exception {
        pauseAndBreak();
        try (RawPeer again = new RawPeer(one.address());
                RawPeer other = new RawPeer(one.address()).join(OTHER, 1)) {
            again.say(RawPeer.hello(PAUSED, 1)).hear();
            byte[] accepted = RawPeer.encode(new HandshakeMessage.Accepted());
            again.sayAtOnce(accepted, RawPeer.frame("b"), RawPeer.frame("c"));
            Await.until("the second link is up", () -> one.listener.timesUp(PAUSED) == 2);
            passOf(other);
            assertEquals(List.of("2a"), framesOfPaused());

            full.set(false);
            one.transport.resumeReading(PAUSED);
            await("2c");
            assertEquals(List.of("2a", "2b", "2c"), framesOfPaused());
        }
    }

    @Test(timeout = 120_000)
    public void resumedBeforeTheNextLink_thatOneIsRead() throws Exception {
        pauseAndBreak();
        one.transport.resumeReading(PAUSED);
        Await.until("the link is down", () -> !one.listener.isUp(PAUSED));
        try (RawPeer again = new RawPeer(one.address()).join(PAUSED, 1)) {
            again.sayFrame("b");
            await("2b");
        }
    }

    /** A connection that is not read does not notice its end, until the next one takes its place. */
    private void pauseAndBreak() throws Exception {
        try (RawPeer first = new RawPeer(one.address()).join(PAUSED, 1)) {
            first.sayFrame("a");
            await("2a");
        }
    }

    private void await(String frame) {
        Await.until(() -> frame + " in " + frames, () -> frames.contains(frame));
    }

    private List<String> framesOfPaused() {
        return frames.stream().filter(frame -> frame.startsWith("2")).toList();
    }

    /** One thread reads all links: when the second frame is there, what had come before the first has been read. */
    private void passOf(RawPeer other) throws Exception {
        for (String text : List.of("first", "second")) {
            other.sayFrame(text);
            await(OTHER + text);
        }
    }
}
