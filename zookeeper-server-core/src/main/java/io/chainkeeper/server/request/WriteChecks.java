package io.chainkeeper.server.request;

import io.chainkeeper.command.Command;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.server.execution.ExecutableRequests;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the accepting replica decides about a write before it is ordered. Safe for use by any thread. */
final class WriteChecks {
    private static final Logger LOG = LoggerFactory.getLogger(WriteChecks.class);

    /** Schemes whose providers do not fail over a missing id. */
    private static final Set<String> BEAR_NO_ID = Set.of("auth", "ip");

    private static final byte[] CONFIGURATION = asFirstField(ZooDefs.CONFIG_NODE);

    private final OrderedZooKeeperServer server;
    private final ResourceGuards guards;
    private final ReplyLimit replies;

    WriteChecks(OrderedZooKeeperServer server, ResourceGuards guards, ReplyLimit replies) {
        this.server = server;
        this.guards = guards;
        this.replies = replies;
    }

    /**
     * Finds out whether a request can be ordered at all. A record that does not decode would be given a second zxid by
     * ZooKeeper's preparation, one that is too large could not be read back from the transaction log, one whose reply
     * is too large would be executed without its client hearing of it, and one for which there is no space could stop
     * this replica.
     *
     * @param request a write
     * @param payload its record's bytes, or null
     * @return the error to answer with, or null
     */
    KeeperException refusal(Request request, byte[] payload) {
        Record record;
        try {
            record = decode(request);
            if (isBroken(record)
                    || replies.refusesWrite(request, record)
                    || payload != null && isTooLarge(request, record, payload.length)) {
                return new KeeperException.MarshallingErrorException();
            }
        } catch (IOException | RuntimeException e) {
            return new KeeperException.MarshallingErrorException();
        }
        // Of ZooKeeper's errors the one that promises that nothing was executed, and asks to try again later.
        boolean admitted = isFree(request.type)
                || guards.disk().admits(payload == null ? 0 : payload.length)
                        && (guards.order().refusal() == null || request.type == OpCode.reconfig)
                        && (!guards.heap().isLow()
                                || !grows(record)
                                || guards.heap().admits());
        return admitted ? null : KeeperException.create(Code.THROTTLEDOP);
    }

    /** Whether a write makes the tree larger, as far as can be told before it is executed. */
    private boolean grows(Record record) {
        if (record instanceof MultiOperationRecord multi) {
            for (Op op : multi) {
                if (grows(op.toRequestRecord())) {
                    return true;
                }
            }
            return false;
        }
        if (record instanceof SetDataRequest set) {
            DataNode node =
                    set.getPath() == null ? null : server.getZKDatabase().getNode(set.getPath());
            byte[] before = node == null ? null : node.getData();
            return set.getData() != null && set.getData().length > (before == null ? 0 : before.length);
        }
        return record instanceof CreateRequest || record instanceof CreateTTLRequest || record instanceof SetACLRequest;
    }

    private boolean isTooLarge(Request request, Record record, int payloadBytes) {
        boolean tooLarge = guards.transactions().isTooLarge(request.authInfo, record, payloadBytes);
        if (tooLarge) {
            LOG.warn(
                    "Session 0x{}: {} of {} bytes makes a transaction that is longer than {} bytes"
                            + " (jute.maxbuffer and zookeeper.jute.maxbuffer.extrasize, the least of all servers):"
                            + " answering MARSHALLINGERROR",
                    Long.toHexString(request.sessionId),
                    Request.op2String(request.type),
                    payloadBytes,
                    guards.transactions().maxEntryBytes());
        }
        return tooLarge;
    }

    /**
     * @param request a write
     * @param commandBytes size of the command that it became
     * @return the error to answer with, or null: its client has more identities than a command has room for
     */
    static KeeperException refusalOfCommand(Request request, int commandBytes) {
        int max = SizeLimits.commandBytes(BinaryInputArchive.maxBuffer);
        if (commandBytes <= max) {
            return null;
        }
        LOG.warn(
                "Session 0x{}: {} with the identities of its client has {} bytes, jute.maxbuffer leaves room for {}:"
                        + " answering MARSHALLINGERROR",
                Long.toHexString(request.sessionId),
                Request.op2String(request.type),
                commandBytes,
                max);
        return new KeeperException.MarshallingErrorException();
    }

    /**
     * Finds records that decode, but that ZooKeeper's preparation gives up at, on every replica, with the error of a
     * record that does not decode and with all its bytes in the log.
     */
    private static boolean isBroken(Record record) {
        if (record instanceof DeleteRequest delete) {
            return delete.getPath() == null;
        }
        if (record instanceof CreateRequest create && create.getPath() == null
                || record instanceof CreateTTLRequest lasting && lasting.getPath() == null) {
            return true;
        }
        if (record instanceof MultiOperationRecord multi) {
            for (Op op : multi) {
                if (op.getKind() == Op.OpKind.READ || isBroken(op.toRequestRecord())) {
                    return true;
                }
            }
            return false;
        }
        List<ACL> acl = acl(record);
        return acl != null && acl.stream().anyMatch(entry -> isBroken(entry.getId()));
    }

    private static List<ACL> acl(Record record) {
        if (record instanceof CreateRequest create) {
            return create.getAcl();
        }
        if (record instanceof CreateTTLRequest create) {
            return create.getAcl();
        }
        return record instanceof SetACLRequest set ? set.getAcl() : null;
    }

    /**
     * Without an address, or of a scheme that this server does not know, an access list is merely invalid; and scheme
     * auth does not look at the id.
     */
    private static boolean isBroken(Id id) {
        return id != null && id.getId() == null && id.getScheme() != null && failsWithoutId(id);
    }

    private static boolean failsWithoutId(Id id) {
        String scheme = id.getScheme();
        boolean known = ProviderRegistry.getProvider(scheme) != null
                && !AuthenticationSchemes.namesLacked(List.of(new ACL(0, id)), AuthenticationSchemes.lacked());
        return scheme.equals("world") || known && !BEAR_NO_ID.contains(scheme);
    }

    /**
     * @param request a write that decodes
     * @param payload its record's bytes, or null
     * @return see {@link Command.ClientRequest#lackedSchemes}
     */
    int lackedSchemes(Request request, byte[] payload) {
        if (request.type == OpCode.setData) {
            return beginsWithConfiguration(payload) ? Command.ClientRequest.KEEPS_CONFIGURATION : 0;
        }
        int lacked = bearsAcl(request.type) ? AuthenticationSchemes.lacked() : 0;
        boolean offersTimeToLive = !bearsAcl(request.type) || NodeOwners.offersTimeToLive();
        if (lacked == 0 && offersTimeToLive && request.type != OpCode.multi) {
            return 0;
        }
        try {
            Record record = decode(request);
            boolean refusesTimeToLive = !offersTimeToLive && asksForTimeToLive(record);
            return (namesLacked(record, lacked) ? lacked : 0)
                    | (refusesTimeToLive ? Command.ClientRequest.NO_TIMES_TO_LIVE : 0)
                    | (setsConfiguration(record) ? Command.ClientRequest.KEEPS_CONFIGURATION : 0);
        } catch (IOException e) {
            throw new IllegalStateException("a request that decoded before does not decode any more: " + request, e);
        }
    }

    /** The path comes first; to decode all of it would cost every write. */
    private static boolean beginsWithConfiguration(byte[] payload) {
        int length = CONFIGURATION.length;
        return payload.length >= length && Arrays.equals(payload, 0, length, CONFIGURATION, 0, length);
    }

    private static byte[] asFirstField(String path) {
        byte[] text = path.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + text.length)
                .putInt(text.length)
                .put(text)
                .array();
    }

    private static boolean setsConfiguration(Record record) {
        if (record instanceof MultiOperationRecord multi) {
            for (Op op : multi) {
                if (ExecutableRequests.setsConfiguration(op.toRequestRecord())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean bearsAcl(int type) {
        return switch (type) {
            case OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL, OpCode.setACL, OpCode.multi ->
                true;
            default -> false;
        };
    }

    private static boolean asksForTimeToLive(Record record) {
        if (record instanceof MultiOperationRecord multi) {
            for (Op op : multi) {
                if (ExecutableRequests.asksForTimeToLive(op.toRequestRecord())) {
                    return true;
                }
            }
        }
        return ExecutableRequests.asksForTimeToLive(record);
    }

    private static boolean namesLacked(Record record, int lacked) {
        if (!(record instanceof MultiOperationRecord multi)) {
            return AuthenticationSchemes.namesLacked(acl(record), lacked);
        }
        for (Op op : multi) {
            if (AuthenticationSchemes.namesLacked(acl(op.toRequestRecord()), lacked)) {
                return true;
            }
        }
        return false;
    }

    /** Sessions come and go however little space there is: without one a client could not even read. */
    private static boolean isFree(int type) {
        return type == OpCode.createSession || type == OpCode.closeSession;
    }

    private static Record decode(Request request) throws IOException {
        return switch (request.type) {
            case OpCode.create, OpCode.create2, OpCode.createContainer -> request.readRequestRecord(CreateRequest::new);
            case OpCode.createTTL -> request.readRequestRecord(CreateTTLRequest::new);
            case OpCode.delete -> request.readRequestRecord(DeleteRequest::new);
            case OpCode.setData -> request.readRequestRecord(SetDataRequest::new);
            case OpCode.setACL -> request.readRequestRecord(SetACLRequest::new);
            case OpCode.multi -> request.readRequestRecord(MultiOperationRecord::new);
            case OpCode.reconfig -> request.readRequestRecord(ReconfigRequest::new);
            default -> null;
        };
    }

    /**
     * Checks quotas against this replica's tree. How full a quota is depends on history that snapshots do not keep, so
     * replicas may differ by a little; the proposer's opinion is the one that counts.
     *
     * @param request a write that decodes
     * @return see {@link Command.ClientRequest#quotaRefusedOp}
     */
    int quotaRefusedOp(Request request) {
        if (!ZooKeeperServer.enforceQuota) {
            return Command.ClientRequest.QUOTA_KEPT;
        }
        try {
            Record record = decode(request);
            if (!(record instanceof MultiOperationRecord multi)) {
                return exceeds(request.type, record) ? 0 : Command.ClientRequest.QUOTA_KEPT;
            }
            int index = 0;
            for (Op op : multi) {
                if (exceeds(op.getType(), op.toRequestRecord())) {
                    return index;
                }
                index++;
            }
            return Command.ClientRequest.QUOTA_KEPT;
        } catch (IOException e) {
            throw new IllegalStateException("a request that decoded before does not decode any more: " + request, e);
        }
    }

    private boolean exceeds(int type, Record record) {
        try {
            if (record instanceof CreateRequest create && create.getPath() != null) {
                server.checkQuotaAsProposer(create.getPath(), null, create.getData(), OpCode.create);
            } else if (record instanceof CreateTTLRequest create && create.getPath() != null) {
                server.checkQuotaAsProposer(create.getPath(), null, create.getData(), OpCode.create);
            } else if (record instanceof SetDataRequest set && type == OpCode.setData && set.getPath() != null) {
                DataNode node = server.getZKDatabase().getNode(set.getPath());
                byte[] before = node == null ? null : node.getData();
                server.checkQuotaAsProposer(set.getPath(), before, set.getData(), OpCode.setData);
            }
            return false;
        } catch (KeeperException.QuotaExceededException e) {
            return true;
        }
    }
}
