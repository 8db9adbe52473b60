package io.chainkeeper.simulation.checker;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.State;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.Test;

public class LinearizabilityCheckerTest {
    private static final String KEY = "/k";
    private static final VersionedRegister REGISTER = new VersionedRegister("initial", 0);

    private final List<Operation> history = new ArrayList<>();

    private void write(long from, long to, String value, int version) {
        history.add(new Operation(
                1,
                from,
                to,
                Kind.WRITE,
                KEY,
                new Write(value, VersionedRegister.ANY_VERSION),
                Outcome.written(version)));
    }

    private void writeUnknown(long from, String value) {
        history.add(new Operation(
                2, from, Operation.UNKNOWN, Kind.WRITE, KEY, new Write(value, VersionedRegister.ANY_VERSION), null));
    }

    private void compareAndSet(long from, long to, String value, int expected, Outcome outcome) {
        history.add(new Operation(3, from, to, Kind.COMPARE_AND_SET, KEY, new Write(value, expected), outcome));
    }

    private void read(long from, long to, String value, int version) {
        history.add(new Operation(4, from, to, Kind.READ, KEY, null, Outcome.read(value, version)));
    }

    private void check() {
        new LinearizabilityChecker<>(REGISTER).check(history);
    }

    private String violation() {
        return assertThrows(HistoryViolation.class, this::check).getMessage();
    }

    @Test
    public void operationsInSequence_passes() {
        read(0, 1, "initial", 0);
        write(2, 3, "a", 1);
        read(4, 5, "a", 1);
        compareAndSet(6, 7, "b", 1, Outcome.written(2));
        compareAndSet(8, 9, "c", 1, Outcome.BAD_VERSION);
        read(10, 11, "b", 2);
        check();
    }

    @Test
    public void readConcurrentWithWrite_mayReturnEither() {
        write(0, 10, "a", 1);
        read(1, 4, "initial", 0);
        read(2, 3, "a", 1);
        check();
    }

    @Test
    public void staleReadAfterWriteReturned_fails() {
        write(0, 1, "a", 1);
        read(2, 3, "initial", 0);
        String message = violation();
        assertTrue(message, message.contains("> client 4 [2..3] READ /k -> initial version 0"));
    }

    @Test
    public void readsGoBackwards_fails() {
        write(0, 10, "a", 1);
        read(1, 2, "a", 1);
        read(3, 4, "initial", 0);
        violation();
    }

    @Test
    public void lostUpdate_fails() {
        compareAndSet(0, 5, "a", 0, Outcome.written(1));
        compareAndSet(1, 6, "b", 0, Outcome.written(1));
        violation();
    }

    @Test
    public void acknowledgedWriteVanishes_fails() {
        write(0, 1, "a", 1);
        write(2, 3, "b", 1);
        violation();
    }

    @Test
    public void unknownWriteSeenThenUnseen_fails() {
        writeUnknown(0, "a");
        read(1, 2, "a", 1);
        read(3, 4, "initial", 0);
        violation();
    }

    @Test
    public void writeReappearsAfterBeingOverwritten_fails() {
        writeUnknown(0, "a");
        read(1, 2, "a", 1);
        write(3, 4, "b", 2);
        read(5, 6, "a", 3);
        violation();
    }

    @Test
    public void unknownWriteTakesEffectMuchLater_passes() {
        writeUnknown(0, "a");
        write(1, 2, "b", 1);
        read(3, 4, "b", 1);
        read(5, 6, "a", 2);
        check();
    }

    @Test
    public void unknownWriteSeenBeforeItWasInvoked_fails() {
        read(0, 1, "a", 1);
        writeUnknown(2, "a");
        violation();
    }

    @Test
    public void compareAndSetRefusedThoughVersionWasRightThroughout_fails() {
        compareAndSet(0, 1, "a", 0, Outcome.BAD_VERSION);
        violation();
    }

    @Test
    public void violationOnOneKeyOfMany_namesTheKey() {
        write(0, 1, "a", 1);
        history.add(new Operation(9, 2, 3, Kind.READ, "/other", null, Outcome.read("a", 1)));
        String message = violation();
        assertTrue(message, message.contains("key /other is not linearizable"));
    }

    @Test
    public void violationInLongHistory_showsOnlyTheWindow() {
        for (int i = 1; i <= 1000; i++) {
            write(i * 10L, i * 10L + 1, "v" + i, i);
        }
        read(20_000, 20_001, "v999", 999);
        String message = violation();
        assertTrue(message, message.lines().count() < 12);
        assertTrue(message, message.contains("> client 4 [20000..20001] READ"));
    }

    @Test
    public void manyUnknownWritesThatNobodySaw_isDecidedWithinTheBound() {
        for (int i = 0; i < 40; i++) {
            writeUnknown(i, "lost" + i);
        }
        for (int i = 0; i < 20; i++) {
            write(100 + i * 2, 101 + i * 2, "v" + i, 2 * (i + 1));
        }
        new LinearizabilityChecker<>(REGISTER, 5_000).check(history);
        history.remove(history.size() - 1);
        write(200, 201, "impossible", 3);
        assertThrows(HistoryViolation.class, () -> new LinearizabilityChecker<>(REGISTER, 5_000).check(history));
    }

    @Test
    public void boundReached_failsLoudly() {
        for (int i = 0; i < 30; i++) {
            writeUnknown(0, "u" + i);
            history.add(new Operation(4, 1, 500, Kind.READ, KEY, null, Outcome.read("u" + i, i + 1)));
        }
        read(600, 601, "never", 7);
        String message = assertThrows(
                        HistoryViolation.class, () -> new LinearizabilityChecker<>(REGISTER, 10).check(history))
                .getMessage();
        assertTrue(message, message.contains("undecided"));
    }

    @Test
    public void thousandsOfConcurrentOperations_isFast() {
        SplittableRandom random = new SplittableRandom(7);
        linearizableHistory(random, 5_000, 8);
        new LinearizabilityChecker<>(REGISTER, 50_000).check(history);
    }

    @Test
    public void randomSmallHistories_agreesWithTryingAllOrders() {
        SplittableRandom random = new SplittableRandom(42);
        int linearizable = 0;
        for (int round = 0; round < 3_000; round++) {
            history.clear();
            randomHistory(random, 2 + random.nextInt(5));
            boolean expected = someOrderExplains(new ArrayList<>(history), REGISTER.initial(KEY));
            boolean found = true;
            try {
                check();
            } catch (HistoryViolation e) {
                found = false;
            }
            assertEquals(history.toString(), expected, found);
            linearizable += expected ? 1 : 0;
        }
        assertTrue("the histories must be of both sorts: " + linearizable, linearizable > 300 && linearizable < 2_700);
    }

    private void randomHistory(SplittableRandom random, int size) {
        for (int i = 0; i < size; i++) {
            long from = random.nextInt(12);
            long to = from + 1 + random.nextInt(6);
            String value = "v" + random.nextInt(3);
            int version = random.nextInt(3);
            switch (random.nextInt(5)) {
                case 0 -> write(from, to, value, version + 1);
                case 1 -> writeUnknown(from, value);
                case 2 ->
                    compareAndSet(
                            from,
                            to,
                            value,
                            version,
                            random.nextBoolean() ? Outcome.written(version + 1) : Outcome.BAD_VERSION);
                case 3 -> read(from, to, "initial", 0);
                default -> read(from, to, value, version);
            }
        }
    }

    private static boolean someOrderExplains(List<Operation> remaining, State state) {
        if (remaining.stream().noneMatch(Operation::isFinished)) {
            return true;
        }
        for (int i = 0; i < remaining.size(); i++) {
            Operation candidate = remaining.get(i);
            boolean first = remaining.stream().allMatch(other -> other.returnedAt() >= candidate.invokedAt());
            State after = first ? REGISTER.apply(state, candidate) : null;
            if (after != null) {
                List<Operation> rest = new ArrayList<>(remaining);
                rest.remove(i);
                if (someOrderExplains(rest, after)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Operations that overlap as those of so many clients would, with answers taken from one true order. */
    private void linearizableHistory(SplittableRandom random, int size, int clients) {
        State state = REGISTER.initial(KEY);
        for (int i = 0; i < size; i++) {
            long instant = i * 10L;
            long from = instant - random.nextInt(10 * clients);
            long to = instant + random.nextInt(10 * clients);
            switch (random.nextInt(4)) {
                case 0 -> {
                    state = new State("v" + i, state.version() + 1);
                    write(from, to, state.value(), state.version());
                }
                case 1 -> {
                    if (random.nextBoolean()) {
                        compareAndSet(from, to, "c" + i, state.version(), Outcome.written(state.version() + 1));
                        state = new State("c" + i, state.version() + 1);
                    } else {
                        compareAndSet(from, to, "c" + i, state.version() + 1, Outcome.BAD_VERSION);
                    }
                }
                case 2 -> {
                    if (random.nextInt(10) == 0) {
                        writeUnknown(from, "u" + i);
                        state = random.nextBoolean() ? new State("u" + i, state.version() + 1) : state;
                    }
                }
                default -> read(from, to, state.value(), state.version());
            }
        }
    }

    private void writePlaced(long from, long to, String value, int version, long place) {
        Outcome outcome = to == Operation.UNKNOWN ? null : Outcome.written(version);
        Write write = new Write(value, VersionedRegister.ANY_VERSION);
        history.add(new Operation(5, from, to, Kind.WRITE, KEY, write, outcome, place));
    }

    @Test
    public void writesAgainstTheirPlaces_fails() {
        writePlaced(0, 10, "a", 1, 2);
        writePlaced(1, 11, "b", 2, 1);
        String message = violation();
        assertTrue(message, message.contains("the order's 1"));
    }

    @Test
    public void placeBeforeThatOfAWriteThatHadReturned_fails() {
        writePlaced(0, 1, "a", 1, 2);
        writePlaced(2, 3, "b", 2, 1);
        violation();
    }

    @Test
    public void lostWriteWithAPlace_mayHaveAnEffectThereOnly() {
        writePlaced(0, 5, "a", 1, 1);
        writePlaced(1, Operation.UNKNOWN, "b", 0, 2);
        writePlaced(2, 6, "c", 3, 3);
        check();
        read(7, 8, "b", 2);
        violation();
    }

    @Test
    public void lostWriteWithAPlace_mayHaveNone() {
        writePlaced(0, Operation.UNKNOWN, "a", 0, 1);
        writePlaced(1, 2, "b", 1, 2);
        check();
    }

    @Test
    public void manyLostWritesWithPlaces_areDecided() {
        for (int i = 1; i <= 300; i++) {
            writePlaced(i, Operation.UNKNOWN, "lost" + i, 0, i);
        }
        read(400, 401, "lost300", 300);
        check();
        read(402, 403, "lost299", 299);
        violation();
    }
}
