package io.chainkeeper.simulation.znode;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;

/**
 * Containers, and nodes with a time to live: the leader deletes them by itself. What is checked is that replicas agree,
 * and that in the end they are gone everywhere.
 */
final class PassingZnodeOperations {
    /** A container. */
    static final String CONTAINER = "/container";

    /** A node with a time to live. */
    static final String SHORT_LIVED = "/shortlived";

    private static final String CHILD = CONTAINER + "/child";
    private static final long TIME_TO_LIVE_MILLIS = 300;
    private static final int ANY_VERSION = -1;

    private final ZnodeJournal journal;

    /** @param journal counts what is asked and answered */
    PassingZnodeOperations(ZnodeJournal journal) {
        this.journal = journal;
    }

    void createContainer(ZnodeClient client) {
        CreateRequest request =
                new CreateRequest(CONTAINER, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER.toFlag());
        client.request(OpCode.createContainer, request, true, journal.unrecorded(client));
    }

    void createChild(ZnodeClient client) {
        CreateRequest request =
                new CreateRequest(CHILD, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT.toFlag());
        client.request(OpCode.create, request, true, journal.unrecorded(client));
    }

    /** From then on the container is to be deleted, unless it gets another child before that. */
    void deleteChild(ZnodeClient client) {
        client.request(OpCode.delete, new DeleteRequest(CHILD, ANY_VERSION), true, journal.unrecorded(client));
    }

    void createShortLived(ZnodeClient client) {
        byte[] data = "passing".getBytes(StandardCharsets.UTF_8);
        CreateTTLRequest request = new CreateTTLRequest(
                SHORT_LIVED, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL.toFlag(), TIME_TO_LIVE_MILLIS);
        client.request(OpCode.createTTL, request, true, journal.unrecorded(client));
    }

    /** Does one of these things. */
    void any(ZnodeClient client, int choice) {
        List<Runnable> choices = List.of(
                () -> createContainer(client),
                () -> createChild(client),
                () -> deleteChild(client),
                () -> createShortLived(client));
        choices.get(choice % choices.size()).run();
    }
}
