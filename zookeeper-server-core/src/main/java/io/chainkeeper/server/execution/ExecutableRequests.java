package io.chainkeeper.server.execution;

import io.chainkeeper.server.guard.AuthenticationSchemes;
import java.util.Arrays;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.BadArgumentsException;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;

/**
 * Finds the requests that ZooKeeper's preparation lets pass and its tree cannot execute: it throws, or becomes another
 * tree than the digest of the transaction says. Either would stop every replica, and again after each restart. No
 * client library sends such a request. Stateless; what is found depends on the request only.
 */
public final class ExecutableRequests {
    private static final String LIMITS = "/" + Quotas.limitNode;
    private static final String STATS = "/" + Quotas.statNode;

    private ExecutableRequests() {}

    /**
     * Tells requests that change something from all others, which have no transaction.
     *
     * @param type operation code
     * @return whether such requests go through the order
     */
    public static boolean isOrdered(int type) {
        return switch (type) {
            case OpCode.create,
                    OpCode.create2,
                    OpCode.createTTL,
                    OpCode.createContainer,
                    OpCode.delete,
                    OpCode.deleteContainer,
                    OpCode.setData,
                    OpCode.setACL,
                    OpCode.multi,
                    OpCode.reconfig,
                    OpCode.createSession,
                    OpCode.closeSession -> true;
            default -> false;
        };
    }

    /**
     * Checks one operation and makes the flags of a create agree with the operation where ZooKeeper ignores them.
     *
     * @param type operation code
     * @param record its record
     * @throws BadArgumentsException if it cannot be executed
     */
    static void check(int type, Record record) throws BadArgumentsException {
        if (record instanceof CreateRequest create) {
            checkFlags(type, create);
            checkQuota(create.getPath(), create.getData(), true);
        } else if (record instanceof CreateTTLRequest create) {
            // The time to live is checked for flags that ask for one only, but used for all.
            CreateMode mode = CreateMode.fromFlag(create.getFlags(), CreateMode.PERSISTENT);
            require(mode.isTTL(), create.getPath());
            checkQuota(create.getPath(), create.getData(), true);
        } else if (record instanceof SetDataRequest set) {
            checkQuota(set.getPath(), set.getData(), false);
        } else if (record instanceof DeleteRequest delete) {
            checkQuotaPath(delete.getPath());
        }
    }

    /**
     * @param record of one operation, may be null
     * @return whether it is to create a znode with a time to live
     */
    public static boolean asksForTimeToLive(Record record) {
        if (record instanceof CreateTTLRequest create) {
            return CreateMode.fromFlag(create.getFlags(), CreateMode.PERSISTENT).isTTL();
        }
        return record instanceof CreateRequest create
                && CreateMode.fromFlag(create.getFlags(), CreateMode.PERSISTENT).isTTL();
    }

    /**
     * @param record of one operation, may be null
     * @return whether it is to set what only the order may say: who the servers are
     */
    public static boolean setsConfiguration(Record record) {
        return record instanceof SetDataRequest set && ZooDefs.CONFIG_NODE.equals(set.getPath());
    }

    /**
     * Makes an access list invalid that names a scheme which the accepting replica has not been given.
     *
     * @param record of one operation
     * @param lacked flags of those schemes
     */
    static void invalidateSchemes(Record record, int lacked) {
        List<ACL> acl = acl(record);
        if (AuthenticationSchemes.namesLacked(acl, lacked)) {
            setAcl(record, AuthenticationSchemes.invalidated(acl, lacked));
        }
    }

    /**
     * @param record of one operation
     * @return its access list, null if it has none
     */
    static List<ACL> acl(Record record) {
        if (record instanceof CreateRequest create) {
            return create.getAcl();
        }
        if (record instanceof CreateTTLRequest create) {
            return create.getAcl();
        }
        return record instanceof SetACLRequest set ? set.getAcl() : null;
    }

    /**
     * @param record of one operation, one that has an access list
     * @param acl another one
     */
    static void setAcl(Record record, List<ACL> acl) {
        if (record instanceof CreateRequest create) {
            create.setAcl(acl);
        } else if (record instanceof CreateTTLRequest create) {
            create.setAcl(acl);
        } else if (record instanceof SetACLRequest set) {
            set.setAcl(acl);
        }
    }

    private static void checkFlags(int type, CreateRequest create) throws BadArgumentsException {
        CreateMode mode = CreateMode.fromFlag(create.getFlags(), null);
        if (type == OpCode.createContainer && mode == CreateMode.PERSISTENT) {
            create.setFlags(CreateMode.CONTAINER.toFlag());
        } else if (type == OpCode.createContainer) {
            require(mode == null || mode.isContainer() || mode.isTTL(), create.getPath());
        } else if (mode == CreateMode.CONTAINER) {
            create.setFlags(CreateMode.PERSISTENT.toFlag());
        }
    }

    /** The tree itself reads the znodes that hold quotas, whenever something below the limited path changes. */
    private static void checkQuota(String path, byte[] data, boolean created) throws BadArgumentsException {
        checkQuotaPath(path);
        if (path != null && path.startsWith(Quotas.quotaZookeeper)) {
            // What new statistics are created with is counted anew.
            boolean read = path.endsWith(LIMITS) || path.endsWith(STATS) && !created;
            require(!read || isTrack(data), path);
        }
    }

    /** The tree takes the limited path to be what follows /zookeeper/quota, also where something else is there. */
    private static void checkQuotaPath(String path) throws BadArgumentsException {
        int from = Quotas.quotaZookeeper.length();
        if (path != null && path.startsWith(Quotas.procZookeeper) && path.endsWith(LIMITS)) {
            require(hasName(path, from, path.length() - LIMITS.length()), path);
        }
        if (path != null && path.startsWith(Quotas.quotaZookeeper)) {
            require(!path.endsWith(LIMITS) || hasName(path, from, path.indexOf(LIMITS, from)), path);
            require(!path.endsWith(STATS) || hasName(path, from, path.length() - STATS.length()), path);
        }
    }

    private static boolean hasName(String path, int from, int end) {
        return end > from && Arrays.stream(path.substring(from, end).split("/")).anyMatch(name -> !name.isBlank());
    }

    private static boolean isTrack(byte[] data) {
        try {
            return data != null && new StatsTrack(data) != null;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static void require(boolean executable, String path) throws BadArgumentsException {
        if (!executable) {
            throw new BadArgumentsException(path);
        }
    }
}
