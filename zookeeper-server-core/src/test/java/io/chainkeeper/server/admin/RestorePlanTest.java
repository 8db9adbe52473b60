package io.chainkeeper.server.admin;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.admin.RestorePlan.Step;
import io.chainkeeper.server.guard.TransactionSize;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.util.Collections;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.DataTree;
import org.junit.Test;

/** What one request holds, where a server that cannot read long transactions says how long they may be. */
public class RestorePlanTest {
    private static final int AGREED_BYTES = 10_000;

    private final TransactionSize sizes = new TransactionSize(() -> AGREED_BYTES);
    private final DataTree present = OrderedDatabase.newTree();
    private final DataTree wanted = OrderedDatabase.newTree();

    private static void create(DataTree tree, String path, int bytes, int cversionOfParent) throws KeeperException {
        tree.createNode(path, new byte[bytes], Ids.OPEN_ACL_UNSAFE, 0, cversionOfParent, 1, 1);
    }

    private List<Step> plan() throws Exception {
        return RestorePlan.of(TreeDifference.between(present, wanted), sizes);
    }

    private boolean isTooLarge(Step step) throws Exception {
        return sizes.isTooLarge(RestorePlan.IDENTITIES, step.request(), RestorePlan.bytesOf(step.request()));
    }

    private static int operations(Step step) {
        int count = 0;
        for (Op ignored : (MultiOperationRecord) step.request()) {
            count++;
        }
        return count;
    }

    @Test
    public void manySmallNodes_travelTogetherAsFarAsAllServersCanReadThemBack() throws Exception {
        for (int i = 0; i < 100; i++) {
            create(wanted, "/n" + i, 500, -1);
        }
        List<Step> steps = plan();
        int operations = 0;
        for (Step step : steps) {
            assertFalse(step.path(), isTooLarge(step));
            operations += operations(step);
        }
        assertEquals(100, operations);
        assertTrue(steps.size() + " requests", steps.size() < 20);
    }

    /** A client has made it so, or with a larger jute.maxbuffer. */
    @Test
    public void nodeThatItsCreationCannotHold_isCreatedEmptyAndSet() throws Exception {
        int bytes = AGREED_BYTES - 200;
        List<ACL> acl = Collections.nCopies(20, new ACL(Perms.ALL, new Id("ip", "10.0.0.1")));
        wanted.createNode("/long", new byte[bytes], acl, 0, -1, 1, 1);
        List<Step> steps = plan();
        assertEquals(2, steps.size());
        Op creation = ((MultiOperationRecord) steps.get(0).request()).iterator().next();
        assertEquals(0, ((CreateRequest) creation.toRequestRecord()).getData().length);
        assertEquals(OpCode.setData, steps.get(1).opcode());
        assertArrayEquals(new byte[bytes], ((SetDataRequest) steps.get(1).request()).getData());
        assertFalse(isTooLarge(steps.get(0)));
        assertFalse(isTooLarge(steps.get(1)));
    }

    @Test
    public void nodeThatNoRequestCanHold_isFoundByItsLength() throws Exception {
        create(wanted, "/long", AGREED_BYTES, -1);
        List<Step> steps = plan();
        Step last = steps.get(steps.size() - 1);
        assertEquals("/long", last.path());
        assertTrue(isTooLarge(last));
    }

    /** Each time its parent counts one child more; together the creations would be longer than a request. */
    @Test
    public void nodesInPassing_areAsManyAsAreMissing_andNoRequestIsTooLong() throws Exception {
        String parent = "/" + "p".repeat(1_000);
        create(present, parent, 0, -1);
        create(wanted, parent, 0, -1);
        wanted.getNode(parent).stat.setCversion(601);
        long times = 0;
        for (Step step : plan()) {
            assertFalse(isTooLarge(step));
            times += step.times() * operations(step) / 2;
        }
        assertEquals(601, times);
    }
}
