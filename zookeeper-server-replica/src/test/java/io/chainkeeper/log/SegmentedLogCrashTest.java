package io.chainkeeper.log;

import static org.junit.Assert.fail;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** The power fails at each step of a log's life; what was synced is there afterwards. */
@RunWith(Parameterized.class)
public class SegmentedLogCrashTest {
    private static final AcceptorLogSettings SETTINGS = LogRecords.retaining(LogRecords.SMALL, 5000, 1_000_000);

    /** Ends the run of a log before a certain operation on the disk. */
    private static final class PowerFailure extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** What was done to a log and survives in the test's memory. */
    private static final class History {
        final List<LogRecord> appended = new ArrayList<>();
        int synced;
        long truncatedBelow = 1;
    }

    /** Written through the system's cache, and past it. */
    @Parameters(name = "blocks of {0} bytes")
    public static List<Integer> blockBytes() {
        return List.of(1, SimulatedDisk.DIRECT_BLOCK_BYTES);
    }

    private final int blockBytes;

    private int operationsLeft;

    public SegmentedLogCrashTest(int blockBytes) {
        this.blockBytes = blockBytes;
    }

    private void countDown(String operation) throws IOException {
        if (--operationsLeft < 0) {
            throw new PowerFailure();
        }
    }

    @Test
    public void powerFailsBeforeEachOperation_everythingSyncedIsThere() throws IOException {
        boolean finished = false;
        for (int operations = 0; !finished; operations++) {
            for (int seed = 0; seed < 3; seed++) {
                finished = liveCrashAndCheck(operations, 1000L * operations + seed);
            }
        }
    }

    private boolean liveCrashAndCheck(int operations, long seed) throws IOException {
        SimulatedDisk fresh = new SimulatedDisk(blockBytes);
        History history = new History();
        Random random = new Random(seed);
        boolean finished = live(fresh, history, operations, random, 70);
        fresh.crash(random);
        check(fresh, history, "operations " + operations + " seed " + seed);
        return finished;
    }

    @Test
    public void powerFailsAgainAndAgain_everythingSyncedIsThere() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            SimulatedDisk fresh = new SimulatedDisk(blockBytes);
            History history = new History();
            Random random = new Random(seed);
            for (int life = 0; life < 8; life++) {
                String run = "seed " + seed + " life " + life;
                live(fresh, history, random.nextInt(60), random, 40);
                fresh.setFault(operation -> {});
                boolean power = random.nextBoolean();
                if (!power || random.nextBoolean()) {
                    // Only the process ends. What the next one reads may not be on the disk yet, so it must see to it.
                    check(fresh, history, run + " killed");
                }
                if (power) {
                    fresh.crash(random);
                    check(fresh, history, run);
                }
            }
        }
    }

    private boolean live(SimulatedDisk fresh, History history, int operations, Random random, int records) {
        operationsLeft = operations;
        fresh.setFault(this::countDown);
        try (SegmentedAcceptorLog log = new SegmentedAcceptorLog(fresh, Durability.SYNC, SETTINGS, () -> {})) {
            for (int i = 0; i < records; i++) {
                long next = history.appended.size() / 2 + 1;
                LogRecord record = random.nextInt(8) == 0
                        ? LogRecords.metadata(1 + random.nextInt(3), "promise " + history.appended.size())
                        : LogRecords.value(
                                Math.max(history.truncatedBelow, next - random.nextInt(4)),
                                "ballot " + history.appended.size(),
                                random.nextInt(700));
                history.appended.add(record);
                log.append(record);
                if (random.nextInt(3) == 0) {
                    log.sync();
                    history.synced = history.appended.size();
                }
                if (random.nextInt(15) == 0) {
                    history.truncatedBelow = Math.max(history.truncatedBelow, next - 5);
                    log.truncate(history.truncatedBelow);
                }
            }
            log.sync();
            history.synced = history.appended.size();
            return true;
        } catch (IOException e) {
            Throwable cause = e;
            while (cause != null && !(cause instanceof PowerFailure)) {
                cause = cause.getCause();
            }
            if (cause == null) {
                throw new AssertionError(e);
            }
            return false;
        }
    }

    /** The log holds what some number of the appended records leave behind, and at least those that were synced. */
    private void check(SimulatedDisk fresh, History history, String run) throws IOException {
        List<LogRecord> found;
        try (SegmentedAcceptorLog log = new SegmentedAcceptorLog(fresh, Durability.SYNC, SETTINGS, () -> {})) {
            found = needed(LogRecords.contents(log), history);
        }
        for (int count = history.appended.size(); count >= history.synced; count--) {
            if (found.equals(needed(LogRecords.after(history.appended, count), history))) {
                // What was found is durable from now on: the replica goes on from it.
                history.appended.subList(count, history.appended.size()).clear();
                history.synced = count;
                return;
            }
        }
        fail(run + ": found " + found + " of " + history.appended + " synced " + history.synced);
    }

    private static List<LogRecord> needed(List<LogRecord> contents, History history) {
        List<LogRecord> needed = new ArrayList<>(contents);
        needed.removeIf(
                record -> record.position() != LogRecord.METADATA && record.position() < history.truncatedBelow);
        return needed;
    }
}
