package io.chainkeeper.simulation.checker;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class SequenceCheckerTest {
    private final SequenceChecker checker = new SequenceChecker();

    @Test
    public void numbersGrowPerSession_passes() {
        checker.acknowledged(1, "/queue", 0);
        checker.acknowledged(2, "/queue", 2);
        checker.acknowledged(1, "/queue", 1);
        checker.acknowledged(1, "/other", 0);
        assertEquals(4, checker.count());
    }

    @Test
    public void numberTwice_fails() {
        checker.acknowledged(1, "/queue", 7);
        assertThrows(HistoryViolation.class, () -> checker.acknowledged(2, "/queue", 7));
    }

    @Test
    public void laterRequestGetsSmallerNumber_fails() {
        checker.acknowledged(1, "/queue", 7);
        assertThrows(HistoryViolation.class, () -> checker.acknowledged(1, "/queue", 6));
    }
}
