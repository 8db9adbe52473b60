package io.chainkeeper.server.zookeeper;

import io.chainkeeper.command.AccessRules;
import java.util.List;
import org.apache.zookeeper.data.Id;

/** What ZooKeeper's preparation of a transaction must take from the ordered command. */
public interface ExecutionInProgress {
    /**
     * Apply thread.
     *
     * @return whether the operation being prepared must fail because its proposer found it to exceed a quota
     */
    boolean quotaRefused();

    /**
     * Any thread.
     *
     * @return the rules that hold for the client of the request that this thread is preparing; null if it prepares none
     */
    AccessRules access();

    /**
     * Any thread.
     *
     * @param ids the client's identities, may be null
     * @return those whose schemes count, because all replicas know them; the same list if they are all
     */
    List<Id> counted(List<Id> ids);
}
