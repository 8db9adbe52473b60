package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;

/** A disk is waited for as long as it answers, however long the work takes. */
public final class DiskAnswersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int READS = 25;

    private final CountDownLatch heals = new CountDownLatch(1);
    private final DiskAnswers answers = new DiskAnswers();

    @After
    public void heal() {
        heals.countDown();
    }

    /** @param millis that each reading takes, unless the disk heals */
    private Blocks disk(long millis) {
        return answers.of(new Blocks() {
            @Override
            public ByteSlice read(long offset, int length) {
                try {
                    heals.await(millis, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return ByteSlice.of(new byte[length]);
            }

            @Override
            public void write(long offset, ByteSlice bytes) {
                throw new AssertionError("nothing is written");
            }
        });
    }

    @Test
    public void diskHangs_isLeftAlone() throws Exception {
        Blocks hangs = disk(Long.MAX_VALUE);
        assertEquals(Optional.empty(), answers.await("looks", () -> hangs.read(0, 1), Duration.ofMillis(50)));
    }

    @Test
    public void diskIsSlow_isWaitedForPastThePatience() throws Exception {
        Blocks slow = disk(PATIENCE.toMillis() / 20);
        Optional<Integer> read = answers.await(
                "looks",
                () -> {
                    int bytes = 0;
                    for (int i = 0; i < READS; i++) {
                        bytes += slow.read(0, 1).length();
                    }
                    return bytes;
                },
                PATIENCE);
        assertEquals(Optional.of(READS), read);
    }

    @Test
    public void workFails_thatIsThrown() {
        IOException failure = assertThrows(
                IOException.class,
                () -> answers.await(
                        "looks",
                        () -> {
                            throw new IOException("unreadable");
                        },
                        PATIENCE));
        assertEquals("unreadable", failure.getMessage());
    }
}
