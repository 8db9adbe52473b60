package io.chainkeeper.simulation.checker;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class DurabilityCheckerTest {
    private final DurabilityChecker checker = new DurabilityChecker();

    private void check(String value, int version, Set<String> names) {
        checker.checkPresent("replica 1", Map.of("/k", new VersionedRegister.State(value, version)), names);
    }

    @Test
    public void everythingAcknowledgedIsThere_passes() {
        checker.acknowledgedWrite("/k", "b", 2);
        checker.acknowledgedWrite("/k", "a", 1);
        checker.acknowledgedCreation("/n1");
        check("b", 2, Set.of("/n1", "/n2"));
        check("later", 3, Set.of("/n1"));
    }

    @Test
    public void olderVersionFound_fails() {
        checker.acknowledgedWrite("/k", "b", 2);
        String message = assertThrows(HistoryViolation.class, () -> check("a", 1, Set.of()))
                .getMessage();
        assertTrue(message, message.contains("replica 1 has lost 1 acknowledged writes"));
    }

    @Test
    public void otherValueOfSameVersionFound_fails() {
        checker.acknowledgedWrite("/k", "b", 2);
        assertThrows(HistoryViolation.class, () -> check("x", 2, Set.of()));
    }

    @Test
    public void creationAbsent_fails() {
        checker.acknowledgedCreation("/n1");
        assertThrows(HistoryViolation.class, () -> check("a", 1, Set.of("/n2")));
    }

    @Test
    public void versionAcknowledgedWithTwoValues_fails() {
        checker.acknowledgedWrite("/k", "a", 1);
        assertThrows(HistoryViolation.class, () -> checker.acknowledgedWrite("/k", "b", 1));
    }
}
