package io.chainkeeper.server.connection;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Test;

/** Answers of a batch go to the connection's I/O thread together; nothing overtakes them, and none is kept. */
public final class ReplyBatcherTest {
    private static final int MANY = 64;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ReplyBatch batch = new ReplyBatch();

    public ReplyBatcherTest() {
        ReplyBatcher.install(channel.pipeline(), batch);
    }

    @After
    public void close() {
        batch.end();
        channel.finishAndReleaseAll();
    }

    private ChannelFuture send(String text) {
        return channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private String sent() {
        channel.runPendingTasks();
        StringBuilder all = new StringBuilder();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.append(part.toString(StandardCharsets.UTF_8));
            part.release();
        }
        return all.toString();
    }

    @Test
    public void outsideABatch_leavesAtOnce() {
        send("a");
        assertEquals("a", sent());
    }

    @Test
    public void batch_leavesAtItsEndInOrder() {
        batch.begin();
        ChannelFuture first = send("a");
        send("b");
        assertEquals("before its end", "", sent());
        assertFalse(first.isDone());
        batch.end();
        assertEquals("ab", sent());
        assertTrue(first.isSuccess());
        send("c");
        assertEquals("after it", "c", sent());
    }

    @Test
    public void readsAreLetIn_whatIsCollectedGoesAndTheRestAtTheEnd() {
        batch.begin();
        send("a");
        batch.sendOn();
        assertEquals("a", sent());
        send("b");
        assertEquals("still in the batch", "", sent());
        batch.end();
        assertEquals("b", sent());
    }

    @Test
    public void otherThreadSends_joinsWhatIsCollected() throws Exception {
        batch.begin();
        send("a");
        Thread other = new Thread(() -> send("b"), "other");
        other.start();
        other.join();
        assertEquals("", sent());
        send("c");
        batch.end();
        assertEquals("abc", sent());
    }

    @Test
    public void largeBatch_leavesInParts() {
        batch.begin();
        for (int i = 0; i < MANY + 1; i++) {
            send("a");
        }
        assertEquals("a".repeat(MANY), sent());
        batch.end();
        assertEquals("a", sent());
    }

    @Test
    public void answersOfAllSizes_keepTheirOrderAndAreReleased() {
        String large = "L".repeat(100_000);
        batch.begin();
        List<ByteBuf> answers = new ArrayList<>();
        List<ChannelFuture> futures = new ArrayList<>();
        for (String text : List.of("a", "b", large, "c", "", "d", "e".repeat(20_000), "f".repeat(20_000))) {
            answers.add(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
            futures.add(channel.writeAndFlush(answers.get(answers.size() - 1)));
        }
        batch.end();
        assertEquals("ab" + large + "cd" + "e".repeat(20_000) + "f".repeat(20_000), sent());
        futures.forEach(future -> assertTrue(future.isSuccess()));
        answers.stream().filter(ByteBuf::isReadable).forEach(answer -> assertEquals(0, answer.refCnt()));
    }

    @Test
    public void connectionClosedMeanwhile_allThatGoesTogetherFailsAndIsReleased() {
        batch.begin();
        List<ByteBuf> answers = new ArrayList<>();
        List<ChannelFuture> futures = new ArrayList<>();
        for (String text : List.of("a", "b")) {
            answers.add(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
            futures.add(channel.writeAndFlush(answers.get(answers.size() - 1)));
        }
        channel.close();
        batch.end();
        channel.runPendingTasks();
        futures.forEach(future -> assertTrue(future.isDone() && !future.isSuccess()));
        answers.forEach(answer -> assertEquals(0, answer.refCnt()));
        assertNull(channel.readOutbound());
    }

    @Test
    public void emptyBatch_leavesNothing() {
        batch.begin();
        batch.end();
        assertEquals("", sent());
    }

    @Test
    public void connectionClosedMeanwhile_answersFailAndAreReleased() {
        batch.begin();
        ByteBuf answer = Unpooled.copiedBuffer("a", StandardCharsets.UTF_8);
        ChannelFuture future = channel.writeAndFlush(answer);
        channel.close();
        batch.end();
        channel.runPendingTasks();
        assertFalse(future.isSuccess());
        assertTrue(future.isDone());
        assertEquals(0, answer.refCnt());
        assertNull(channel.readOutbound());
    }
}
