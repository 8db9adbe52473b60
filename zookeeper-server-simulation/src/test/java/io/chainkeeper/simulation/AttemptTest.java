package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.List;
import org.junit.Test;

public final class AttemptTest {
    private static Attempt failedWith(Throwable failure) {
        return new Attempt(null, null, null, failure, List.of(), List.of(), 0, 0);
    }

    @Test
    public void brokenRule_isSaidInItsWords() {
        assertEquals(
                "two leaders", failedWith(new InvariantViolated("two leaders")).why());
    }

    @Test
    public void defectThatBreaksNoRule_isSaidWithThePlace() {
        String why = failedWith(new NullPointerException("host is null")).why();
        assertTrue(why, why.startsWith("java.lang.NullPointerException: host is null"));
        assertTrue(why, why.contains(AttemptTest.class.getName() + ".defectThatBreaksNoRule_isSaidWithThePlace"));
    }
}
