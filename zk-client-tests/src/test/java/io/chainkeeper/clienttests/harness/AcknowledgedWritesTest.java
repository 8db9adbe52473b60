package io.chainkeeper.clienttests.harness;

import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.TreeMap;
import org.apache.zookeeper.data.Stat;
import org.junit.Before;
import org.junit.Test;

public class AcknowledgedWritesTest {
    private static final String KEY = "/load/client-0";
    private static final String ITEM = LoadGenerator.SEQUENCE + "/n-0000000000";

    private final AcknowledgedWrites writes = new AcknowledgedWrites();
    private final TreeMap<String, TreeDump.Node> nodes = new TreeMap<>();

    @Before
    public void oneAcknowledgedWriteOfEachKind() {
        writes.sent(KEY);
        writes.acknowledgedSet(KEY, 7, "client#7", 1);
        writes.sent(LoadGenerator.SEQUENCE);
        writes.acknowledgedCreate(ITEM, "client#8");
        writes.sent(LoadGenerator.PAIR);
        writes.acknowledged(LoadGenerator.PAIR);
        put(KEY, "client#7", 1);
        put(ITEM, "client#8", 0);
        put(LoadGenerator.LEFT, "client#9", 1);
        put(LoadGenerator.RIGHT, "client#9", 1);
    }

    private void put(String path, String data, int version) {
        Stat stat = new Stat();
        stat.setVersion(version);
        nodes.put(path, new TreeDump.Node(data, stat, List.of()));
    }

    private void check() {
        writes.check(TreeDump.ofNodes(nodes));
    }

    private void assertViolation(String text) {
        String message = assertThrows(AssertionError.class, this::check).getMessage();
        assertTrue(message, message.contains(text));
    }

    @Test
    public void treeHoldsWhatWasAcknowledged_passes() {
        check();
    }

    @Test
    public void writeOfUnknownOutcomeWasExecuted_passes() {
        writes.sent(KEY);
        writes.unknown();
        put(KEY, "client#11", 2);
        check();
    }

    @Test
    public void acknowledgedSetIsMissing_fails() {
        put(KEY, "", 0);
        assertViolation(KEY);
    }

    @Test
    public void otherDataAtTheAcknowledgedVersion_fails() {
        put(KEY, "client#8", 1);
        assertViolation("holds client#8 at version 1");
    }

    @Test
    public void oneSetIsExecutedTwice_fails() {
        put(KEY, "client#7", 2);
        assertViolation("written 2 times");
    }

    @Test
    public void earlierWriteOfTheSameClientIsExecutedLater_fails() {
        writes.sent(KEY);
        put(KEY, "client#3", 2);
        assertViolation("later write 7");
    }

    @Test
    public void acknowledgedCreateIsMissing_fails() {
        nodes.remove(ITEM);
        assertViolation(ITEM);
    }

    @Test
    public void oneCreateMadeTwoZnodes_fails() {
        writes.sent(LoadGenerator.SEQUENCE);
        put(LoadGenerator.SEQUENCE + "/n-0000000001", "client#8", 0);
        assertViolation("one create made both");
    }

    @Test
    public void numberIsGivenTwice_fails() {
        assertThrows(AssertionError.class, () -> writes.acknowledgedCreate(ITEM, "other#1"));
    }

    @Test
    public void halfOfAMultiIsMissing_fails() {
        put(LoadGenerator.RIGHT, "client#1", 1);
        assertViolation("a multi sets both");
    }

    @Test
    public void treesThatDifferInOneStatField_areNotEqual() {
        TreeMap<String, TreeDump.Node> others = new TreeMap<>(nodes);
        assertNull(TreeDump.ofNodes(nodes).differenceTo(TreeDump.ofNodes(others)));
        Stat stat = new Stat();
        stat.setVersion(1);
        stat.setPzxid(1);
        others.put(KEY, new TreeDump.Node("client#7", stat, List.of()));
        assertNotNull(TreeDump.ofNodes(nodes).differenceTo(TreeDump.ofNodes(others)));
        others.remove(KEY);
        assertNotNull(TreeDump.ofNodes(nodes).differenceTo(TreeDump.ofNodes(others)));
        assertNotNull(TreeDump.ofNodes(others).differenceTo(TreeDump.ofNodes(nodes)));
    }
}
