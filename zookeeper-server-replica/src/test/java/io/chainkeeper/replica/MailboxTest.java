package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocol;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** One thread at a time runs the protocol, and no run that was asked for is forgotten. */
public final class MailboxTest {
    private static final int THREADS = 4;
    private static final int INPUTS_OF_EACH = 20_000;

    private final Mailbox mailbox = new Mailbox();

    @Test
    public void starter_hasTheFirstRun() {
        assertFalse(mailbox.trySchedule());
        assertFalse(mailbox.tryBeginRun());
        mailbox.endRun();
        assertTrue(mailbox.tryBeginRun());
    }

    @Test
    public void scheduledTwice_oneCallerFindsAThread() {
        mailbox.endRun();
        assertTrue(mailbox.trySchedule());
        assertFalse("scheduled already", mailbox.trySchedule());
        assertTrue("also by another thread than the one that was asked", mailbox.tryBeginRun());
        assertFalse("running", mailbox.trySchedule());
        mailbox.endRun();
        assertTrue(mailbox.trySchedule());
    }

    @Test
    public void stopped_neverRunsAgain() {
        assertFalse("another thread runs", mailbox.tryStop());
        mailbox.endRun();
        assertTrue(mailbox.trySchedule());
        assertTrue(mailbox.tryStop());
        assertFalse(mailbox.tryBeginRun());
        assertFalse(mailbox.trySchedule());
        assertTrue("stopped already", mailbox.tryStop());
    }

    @Test
    public void aborted_neverRunsAgain() {
        mailbox.abortRun();
        assertFalse(mailbox.tryBeginRun());
        assertFalse(mailbox.trySchedule());
        assertTrue(mailbox.tryStop());
    }

    @Test
    public void endedTwice_isADefect() {
        mailbox.endRun();
        assertThrows(InvariantViolated.class, mailbox::endRun);
    }

    /** Each thread adds an input, runs itself if it has to find a thread, and looks for further inputs afterwards. */
    @Test
    public void manyThreads_runInTurnAndMissNothing() throws InterruptedException {
        int[] taken = new int[1]; // guarded by the mailbox alone
        mailbox.endRun();
        Runnable work = () -> {
            while (mailbox.trySchedule() && mailbox.tryBeginRun()) {
                while (mailbox.poll() != null) {
                    taken[0]++;
                }
                mailbox.endRun();
                if (mailbox.isEmpty()) {
                    return;
                }
            }
        };
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                for (int input = 0; input < INPUTS_OF_EACH; input++) {
                    mailbox.add(input);
                    work.run();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(mailbox.tryBeginRun());
        assertEquals(THREADS * INPUTS_OF_EACH, taken[0]);
    }

    @Test
    public void whatWaits_isToldByKind() {
        mailbox.add(new Proposal(0, ByteSlice.of(new byte[10])) {});
        Proposal offered = new Proposal(0, ByteSlice.of(new byte[20])) {};
        offered.offered(true);
        mailbox.add(offered);
        mailbox.add(new Mailbox.Arrived(2, null, 30));
        mailbox.add(new Mailbox.Arrived(2, null, 40));
        mailbox.add(new Mailbox.Arrived(3, null, 50));
        mailbox.add((TotalOrder.ReadWaiter) () -> {});
        mailbox.add((Mailbox.Input) protocol -> {});
        Map<String, Long> told = new TreeMap<>();
        mailbox.tellOccupancy((name, held, bound, slack) -> told.put(name, held), ReplicaLimits.DEFAULT);
        long command = 10L + ReplicaLimits.COMMAND_COST_BYTES;
        Map<String, Long> expected = Map.of(
                "mailbox_command_bytes",
                command,
                "mailbox_offered_bytes",
                command + 10,
                "mailbox_frame_bytes",
                70L,
                "mailbox_events",
                1L);
        assertEquals(expected, told);
    }

    @Test
    public void checkpointsThatNobodyTakes_doNotPileUp() {
        List<Long> told = new ArrayList<>();
        OrderingProtocol protocol = (OrderingProtocol) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OrderingProtocol.class}, (proxy, method, arguments) -> {
                    assertEquals("onCheckpoint", method.getName());
                    told.add((Long) arguments[0]);
                    return null;
                });
        for (long position : new long[] {10, 30, 20}) {
            mailbox.add(new Mailbox.CheckpointTaken(position));
        }
        assertEquals(1, mailbox.size());
        ((Mailbox.Input) mailbox.poll()).feed(protocol);
        mailbox.add(new Mailbox.CheckpointTaken(40));
        ((Mailbox.Input) mailbox.poll()).feed(protocol);
        assertEquals(List.of(30L, 40L), told);
    }
}
