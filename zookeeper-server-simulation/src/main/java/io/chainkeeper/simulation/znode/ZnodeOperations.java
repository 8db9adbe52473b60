package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.checker.SequenceChecker;
import io.chainkeeper.simulation.checker.WatchChecker;
import io.chainkeeper.simulation.checker.ZnodeModel;
import io.chainkeeper.simulation.checker.ZnodeModel.Action;
import io.chainkeeper.simulation.checker.ZnodeModel.Code;
import io.chainkeeper.simulation.checker.ZnodeModel.Outcome;
import io.chainkeeper.simulation.checker.ZnodeModel.Request;
import io.chainkeeper.simulation.znode.ZnodeJournal.Asked;
import io.chainkeeper.simulation.znode.ZnodeJournal.Recorded;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateResponse;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.ExistsResponse;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SetDataResponse;
import org.apache.zookeeper.proto.SyncRequest;

/** What clients ask for; each operation is recorded as a model of its znode sees it. */
final class ZnodeOperations {
    /** Parent of sequential nodes. */
    static final String SEQUENCES = "/sequences";

    /** Parent whose children come and go. */
    static final String PARENT = "/parent";

    private static final int DIGITS = 10;

    private final ZnodeJournal journal;
    private final SequenceChecker sequences = new SequenceChecker();
    private final TreeSet<String> lasting = new TreeSet<>();
    private final Map<String, Integer> seenVersions = new TreeMap<>();

    /** @param journal takes what is asked and answered */
    ZnodeOperations(ZnodeJournal journal) {
        this.journal = journal;
    }

    private static Map<String, Asked> on(String path, Request request) {
        return Map.of(path, asked(request));
    }

    private static Asked asked(Request request) {
        boolean unconditional = request.expectedVersion() == ZnodeModel.ANY_VERSION;
        Kind kind = request.action() == Action.READ ? Kind.READ : unconditional ? Kind.WRITE : Kind.COMPARE_AND_SET;
        return new Asked(kind, request);
    }

    private static Outcome failure(int error) {
        KeeperException.Code code = KeeperException.Code.get(error);
        return switch (code) {
            case NONODE -> Outcome.of(Code.NO_NODE);
            case NODEEXISTS -> Outcome.of(Code.NODE_EXISTS);
            case BADVERSION -> Outcome.of(Code.BAD_VERSION);
            case SESSIONEXPIRED, SESSIONMOVED, RUNTIMEINCONSISTENCY, QUOTAEXCEEDED, THROTTLEDOP -> null;
            default -> throw new InvariantViolated("an operation failed with " + code);
        };
    }

    /** Who asked for the parent may have got no answer: then there is none, which is no news of the node itself. */
    private static Outcome failureToCreate(int error) {
        return error == KeeperException.Code.NONODE.intValue() ? null : failure(error);
    }

    private static byte[] bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private String freshValue() {
        return "v" + journal.asked();
    }

    /** The version that anybody saw last. */
    int seenVersion(String path) {
        return seenVersions.getOrDefault(path, 0);
    }

    private void saw(ZnodeClient client, String path, Stat stat, boolean watch) {
        if (stat != null) {
            seenVersions.put(path, stat.getVersion());
        }
        client.session().watches().dataSeen(path, stat == null ? WatchChecker.ABSENT : stat.getMzxid(), watch);
    }

    // ---------------------------------------------------------------- reads

    void getData(ZnodeClient client, String path, boolean watch) {
        Recorded recorded = journal.new Recorded(client, on(path, read())) {
            @Override
            List<Object> outcomes(int error, Record body) {
                if (error != 0) {
                    if (failure(error) != null) {
                        saw(client, path, null, false);
                    }
                    return ZnodeJournal.one(failure(error));
                }
                GetDataResponse response = (GetDataResponse) body;
                Stat stat = response.getStat();
                saw(client, path, stat, watch);
                String value = new String(response.getData(), StandardCharsets.UTF_8);
                return ZnodeJournal.one(new Outcome(Code.OK, value, stat.getVersion(), stat.getEphemeralOwner()));
            }
        };
        client.request(OpCode.getData, new GetDataRequest(path, watch), false, recorded);
    }

    void exists(ZnodeClient client, String path, boolean watch) {
        Recorded recorded = journal.new Recorded(client, on(path, read())) {
            @Override
            List<Object> outcomes(int error, Record body) {
                if (error != 0) {
                    if (failure(error) != null) {
                        saw(client, path, null, watch);
                    }
                    return ZnodeJournal.one(failure(error));
                }
                Stat stat = ((ExistsResponse) body).getStat();
                saw(client, path, stat, watch);
                return ZnodeJournal.one(new Outcome(Code.OK, null, stat.getVersion(), stat.getEphemeralOwner()));
            }
        };
        client.request(OpCode.exists, new ExistsRequest(path, watch), false, recorded);
    }

    private static Request read() {
        return new Request(Action.READ, null, ZnodeModel.ANY_VERSION, ZnodeModel.NO_OWNER);
    }

    void getChildren(ZnodeClient client, boolean watch) {
        Recorded recorded = journal.new Recorded(client, Map.of()) {
            @Override
            List<Object> outcomes(int error, Record body) {
                if (error == 0) {
                    long pzxid = ((GetChildren2Response) body).getStat().getPzxid();
                    client.session().watches().childrenSeen(PARENT, pzxid, watch);
                }
                return List.of();
            }
        };
        client.request(OpCode.getChildren2, new GetChildren2Request(PARENT, watch), false, recorded);
    }

    void sync(ZnodeClient client, String path) {
        client.request(OpCode.sync, new SyncRequest(path), false, journal.unrecorded(client));
    }

    // ---------------------------------------------------------------- writes

    private static CreateRequest createRequest(String path, String value, CreateMode mode) {
        return new CreateRequest(path, bytes(value), Ids.OPEN_ACL_UNSAFE, mode.toFlag());
    }

    /** Creates a parent of others, as the first thing of each session. */
    void createParent(ZnodeClient client, String path) {
        client.request(OpCode.create, createRequest(path, "", CreateMode.PERSISTENT), true, journal.unrecorded(client));
    }

    /** Lets a node have so many children less one: it counts itself. */
    void createQuota(ZnodeClient client, String path, int nodes) {
        String quota = Quotas.quotaPath(path);
        String limits = "count=-1,bytes=-1,byteHardLimit=-1,countHardLimit=" + nodes;
        client.request(
                OpCode.create, createRequest(quota, "", CreateMode.PERSISTENT), true, journal.unrecorded(client));
        client.request(
                OpCode.create,
                createRequest(Quotas.limitPath(path), limits, CreateMode.PERSISTENT),
                true,
                journal.unrecorded(client));
        client.request(
                OpCode.create,
                createRequest(Quotas.statPath(path), "count=0,bytes=0", CreateMode.PERSISTENT),
                true,
                journal.unrecorded(client));
    }

    void create(ZnodeClient client, String path, boolean ephemeral) {
        String value = freshValue();
        long owner = ephemeral ? client.session().id() : ZnodeModel.NO_OWNER;
        if (ephemeral) {
            client.session().ephemeralPaths().add(path);
        }
        Request request = new Request(Action.CREATE, value, ZnodeModel.ANY_VERSION, owner);
        CreateMode mode = ephemeral ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
        Recorded recorded = journal.new Recorded(client, on(path, request)) {
            @Override
            List<Object> outcomes(int error, Record body) {
                return ZnodeJournal.one(error == 0 ? Outcome.of(Code.OK) : failureToCreate(error));
            }
        };
        client.request(OpCode.create, createRequest(path, value, mode), true, recorded);
    }

    void setData(ZnodeClient client, String path, int expectedVersion) {
        String value = freshValue();
        Request request = new Request(Action.SET, value, expectedVersion, ZnodeModel.NO_OWNER);
        Recorded recorded = journal.new Recorded(client, on(path, request)) {
            @Override
            List<Object> outcomes(int error, Record body) {
                if (error != 0) {
                    return ZnodeJournal.one(failure(error));
                }
                Stat stat = ((SetDataResponse) body).getStat();
                saw(client, path, stat, false);
                return ZnodeJournal.one(new Outcome(Code.OK, null, stat.getVersion(), ZnodeModel.NO_OWNER));
            }
        };
        client.request(OpCode.setData, new SetDataRequest(path, bytes(value), expectedVersion), true, recorded);
    }

    void delete(ZnodeClient client, String path, int expectedVersion) {
        Request request = new Request(Action.DELETE, null, expectedVersion, ZnodeModel.NO_OWNER);
        Recorded recorded = journal.new Recorded(client, on(path, request)) {
            @Override
            List<Object> outcomes(int error, Record body) {
                return ZnodeJournal.one(error == 0 ? Outcome.of(Code.OK) : failure(error));
            }
        };
        client.request(OpCode.delete, new DeleteRequest(path, expectedVersion), true, recorded);
    }

    void createSequential(ZnodeClient client, boolean ephemeral) {
        CreateMode mode = ephemeral ? CreateMode.EPHEMERAL_SEQUENTIAL : CreateMode.PERSISTENT_SEQUENTIAL;
        long sessionId = client.session().id();
        Recorded recorded = journal.new Recorded(client, Map.of()) {
            @Override
            List<Object> outcomes(int error, Record body) {
                if (error == 0) {
                    String path = ((CreateResponse) body).getPath();
                    long number = Long.parseLong(path.substring(path.length() - DIGITS));
                    sequences.acknowledged(sessionId, SEQUENCES, number);
                    if (!ephemeral) {
                        lasting.add(path);
                    }
                }
                return List.of();
            }
        };
        client.request(OpCode.create, createRequest(SEQUENCES + "/n", "", mode), true, recorded);
    }

    /** What a transaction does to one node. */
    private record Part(String path, Request request, Op op) {}

    /** Sets one node if another one has the expected version. */
    void checkAndSet(ZnodeClient client, String checked, int expectedVersion, String set) {
        String value = freshValue();
        multi(
                client,
                new Part(
                        checked,
                        new Request(Action.CHECK, null, expectedVersion, ZnodeModel.NO_OWNER),
                        Op.check(checked, expectedVersion)),
                new Part(
                        set,
                        new Request(Action.SET, value, ZnodeModel.ANY_VERSION, ZnodeModel.NO_OWNER),
                        Op.setData(set, bytes(value), ZnodeModel.ANY_VERSION)));
    }

    /** Deletes one node and creates another one, or neither. */
    void deleteAndCreate(ZnodeClient client, String deleted, int expectedVersion, String created) {
        String value = freshValue();
        multi(
                client,
                new Part(
                        deleted,
                        new Request(Action.DELETE, null, expectedVersion, ZnodeModel.NO_OWNER),
                        Op.delete(deleted, expectedVersion)),
                new Part(
                        created,
                        new Request(Action.CREATE, value, ZnodeModel.ANY_VERSION, ZnodeModel.NO_OWNER),
                        Op.create(created, bytes(value), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
    }

    private void multi(ZnodeClient client, Part... parts) {
        Map<String, Asked> requests = new TreeMap<>();
        List<Op> ops = new ArrayList<>();
        for (Part part : parts) {
            requests.put(part.path(), asked(part.request()));
            ops.add(part.op());
        }
        Recorded recorded = journal.new Recorded(client, requests) {
            @Override
            List<Object> outcomes(int error, Record body) {
                Map<String, Object> outcomes = new TreeMap<>();
                for (int i = 0; i < parts.length; i++) {
                    outcomes.put(
                            parts[i].path(),
                            body instanceof MultiResponse response
                                    ? partOutcome(client, parts[i], response.getResultList(), i)
                                    : null);
                }
                return new ArrayList<>(outcomes.values());
            }
        };
        client.request(OpCode.multi, new MultiOperationRecord(ops), true, recorded);
    }

    private Outcome partOutcome(ZnodeClient client, Part part, List<OpResult> results, int index) {
        OpResult result = results.get(index);
        if (result instanceof OpResult.ErrorResult failed) {
            boolean creates = part.request().action() == Action.CREATE;
            return failed.getErr() == 0 ? null : creates ? failureToCreate(failed.getErr()) : failure(failed.getErr());
        }
        if (result instanceof OpResult.SetDataResult done) {
            saw(client, part.path(), done.getStat(), false);
            return new Outcome(Code.OK, null, done.getStat().getVersion(), ZnodeModel.NO_OWNER);
        }
        return Outcome.of(Code.OK);
    }

    // ---------------------------------------------------------------- sessions

    void closeSession(ZnodeClient client) {
        ZnodeSession session = client.session();
        session.close();
        Map<String, Asked> ends = new TreeMap<>();
        for (String path : session.ephemeralPaths()) {
            ends.put(path, asked(end(session.id())));
        }
        Recorded recorded = journal.new Recorded(client, ends) {
            @Override
            List<Object> outcomes(int error, Record body) {
                client.sessionClosed();
                List<Object> outcomes = new ArrayList<>();
                ends.forEach((path, request) -> outcomes.add(Outcome.of(Code.OK)));
                return outcomes;
            }
        };
        // Not held against the order of the others: as in ZooKeeper it takes effect wherever the session is by then.
        client.request(OpCode.closeSession, null, false, recorded);
    }

    private static Request end(long sessionId) {
        return new Request(Action.END_SESSION, null, ZnodeModel.ANY_VERSION, sessionId);
    }

    /** From now on the session may end by itself, and its ephemeral node with it. */
    void mayExpire(long sessionId, String path) {
        journal.mayExpire(sessionId, path, end(sessionId));
    }

    /** Paths of nodes that were acknowledged and that nobody deletes. */
    TreeSet<String> lasting() {
        return lasting;
    }
}
