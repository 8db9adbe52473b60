package io.chainkeeper.simulation;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.Operation;
import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.checker.SequenceChecker;
import io.chainkeeper.simulation.checker.ZnodeModel;
import io.chainkeeper.simulation.checker.ZnodeModel.Action;
import io.chainkeeper.simulation.checker.ZnodeModel.Code;
import io.chainkeeper.simulation.checker.ZnodeModel.Outcome;
import io.chainkeeper.simulation.checker.ZnodeModel.Request;
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

    private final History history;
    private final SequenceChecker sequences = new SequenceChecker();
    private final TreeSet<String> lasting = new TreeSet<>();
    private final Map<String, Integer> seenVersions = new TreeMap<>();
    private final SessionEvidence evidence;
    private final List<Runnable> lost = new ArrayList<>();
    private long asked;
    private long answered;

    /**
     * @param history takes what is asked and answered
     * @param evidence knows which writes took effect whose replies were lost
     */
    ZnodeOperations(History history, SessionEvidence evidence) {
        this.history = history;
        this.evidence = evidence;
    }

    /** One operation on a znode; without an answer until it has one. */
    private abstract class Recorded implements ZnodeClient.ReplyHandler {
        private final List<History.Invocation> invocations = new ArrayList<>();
        private final long sessionId;

        /** @param paths with what is asked of each */
        Recorded(ZnodeClient client, Map<String, Request> paths) {
            asked++;
            sessionId = client.session().id();
            paths.forEach((path, request) -> {
                boolean unconditional = request.expectedVersion() == ZnodeModel.ANY_VERSION;
                Kind kind =
                        request.action() == Action.READ ? Kind.READ : unconditional ? Kind.WRITE : Kind.COMPARE_AND_SET;
                invocations.add(history.invoke(client.session().id(), kind, path, request));
            });
        }

        @Override
        public void replied(int xid, int error, Record body) {
            answered++;
            placed(evidence.placeOf(sessionId, xid));
            List<Outcome> outcomes = outcomes(error, body);
            for (int i = 0; i < invocations.size(); i++) {
                if (outcomes.get(i) == null) {
                    invocations.get(i).withoutEffect();
                } else {
                    invocations.get(i).returned(outcomes.get(i));
                }
            }
        }

        /** Whether it took effect is known when the run has ended. */
        @Override
        public void lost(int xid) {
            lost.add(() -> {
                // A lost read has no effect and is forgotten as well.
                long place = evidence.placeOf(sessionId, xid);
                placed(place);
                boolean mayHaveEffect = place != Operation.NO_PLACE;
                invocations.forEach(mayHaveEffect ? History.Invocation::unknown : History.Invocation::withoutEffect);
            });
        }

        private void placed(long place) {
            invocations.forEach(invocation -> invocation.placed(place));
        }

        /** For each path, in order; null for one that certainly did not change and of which nothing is known. */
        abstract List<Outcome> outcomes(int error, Record body);
    }

    private static List<Outcome> one(Outcome outcome) {
        List<Outcome> outcomes = new ArrayList<>();
        outcomes.add(outcome);
        return outcomes;
    }

    private static Outcome failure(int error) {
        KeeperException.Code code = KeeperException.Code.get(error);
        return switch (code) {
            case NONODE -> Outcome.of(Code.NO_NODE);
            case NODEEXISTS -> Outcome.of(Code.NODE_EXISTS);
            case BADVERSION -> Outcome.of(Code.BAD_VERSION);
            case SESSIONEXPIRED, SESSIONMOVED, RUNTIMEINCONSISTENCY -> null;
            default -> throw new InvariantViolated("an operation failed with " + code);
        };
    }

    private static byte[] bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private String freshValue() {
        return "v" + asked;
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
        Recorded recorded = new Recorded(client, Map.of(path, read())) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                if (error != 0) {
                    if (failure(error) != null) {
                        saw(client, path, null, false);
                    }
                    return one(failure(error));
                }
                GetDataResponse response = (GetDataResponse) body;
                Stat stat = response.getStat();
                saw(client, path, stat, watch);
                String value = new String(response.getData(), StandardCharsets.UTF_8);
                return one(new Outcome(Code.OK, value, stat.getVersion(), stat.getEphemeralOwner()));
            }
        };
        client.request(OpCode.getData, new GetDataRequest(path, watch), false, recorded);
    }

    void exists(ZnodeClient client, String path, boolean watch) {
        Recorded recorded = new Recorded(client, Map.of(path, read())) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                if (error != 0) {
                    if (failure(error) != null) {
                        saw(client, path, null, watch);
                    }
                    return one(failure(error));
                }
                Stat stat = ((ExistsResponse) body).getStat();
                saw(client, path, stat, watch);
                return one(new Outcome(Code.OK, null, stat.getVersion(), stat.getEphemeralOwner()));
            }
        };
        client.request(OpCode.exists, new ExistsRequest(path, watch), false, recorded);
    }

    private static Request read() {
        return new Request(Action.READ, null, ZnodeModel.ANY_VERSION, ZnodeModel.NO_OWNER);
    }

    void getChildren(ZnodeClient client, boolean watch) {
        Recorded recorded = new Recorded(client, Map.of()) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
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
        client.request(OpCode.sync, new SyncRequest(path), false, unrecorded(client));
    }

    private Recorded unrecorded(ZnodeClient client) {
        return new Recorded(client, Map.of()) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                return List.of();
            }
        };
    }

    // ---------------------------------------------------------------- writes

    private static CreateRequest createRequest(String path, String value, CreateMode mode) {
        return new CreateRequest(path, bytes(value), Ids.OPEN_ACL_UNSAFE, mode.toFlag());
    }

    /** Creates a parent of others, as the first thing of each session. */
    void createParent(ZnodeClient client, String path) {
        client.request(OpCode.create, createRequest(path, "", CreateMode.PERSISTENT), true, unrecorded(client));
    }

    void create(ZnodeClient client, String path, boolean ephemeral) {
        String value = freshValue();
        long owner = ephemeral ? client.session().id() : ZnodeModel.NO_OWNER;
        if (ephemeral) {
            client.session().ephemeralPaths().add(path);
        }
        Request request = new Request(Action.CREATE, value, ZnodeModel.ANY_VERSION, owner);
        CreateMode mode = ephemeral ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
        Recorded recorded = new Recorded(client, Map.of(path, request)) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                boolean noParent = error == KeeperException.Code.NONODE.intValue();
                return one(error == 0 ? Outcome.of(Code.OK) : noParent ? null : failure(error));
            }
        };
        client.request(OpCode.create, createRequest(path, value, mode), true, recorded);
    }

    void setData(ZnodeClient client, String path, int expectedVersion) {
        String value = freshValue();
        Request request = new Request(Action.SET, value, expectedVersion, ZnodeModel.NO_OWNER);
        Recorded recorded = new Recorded(client, Map.of(path, request)) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                if (error != 0) {
                    return one(failure(error));
                }
                Stat stat = ((SetDataResponse) body).getStat();
                saw(client, path, stat, false);
                return one(new Outcome(Code.OK, null, stat.getVersion(), ZnodeModel.NO_OWNER));
            }
        };
        client.request(OpCode.setData, new SetDataRequest(path, bytes(value), expectedVersion), true, recorded);
    }

    void delete(ZnodeClient client, String path, int expectedVersion) {
        Request request = new Request(Action.DELETE, null, expectedVersion, ZnodeModel.NO_OWNER);
        Recorded recorded = new Recorded(client, Map.of(path, request)) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                return one(error == 0 ? Outcome.of(Code.OK) : failure(error));
            }
        };
        client.request(OpCode.delete, new DeleteRequest(path, expectedVersion), true, recorded);
    }

    void createSequential(ZnodeClient client, boolean ephemeral) {
        CreateMode mode = ephemeral ? CreateMode.EPHEMERAL_SEQUENTIAL : CreateMode.PERSISTENT_SEQUENTIAL;
        long sessionId = client.session().id();
        Recorded recorded = new Recorded(client, Map.of()) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
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

    /** Sets one node if another one has the expected version. */
    void multi(ZnodeClient client, String checked, int expectedVersion, String set) {
        String value = freshValue();
        Map<String, Request> requests = new TreeMap<>();
        requests.put(checked, new Request(Action.CHECK, null, expectedVersion, ZnodeModel.NO_OWNER));
        requests.put(set, new Request(Action.SET, value, ZnodeModel.ANY_VERSION, ZnodeModel.NO_OWNER));
        boolean checkedComesFirst = checked.compareTo(set) < 0;
        Recorded recorded = new Recorded(client, requests) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                Outcome ofCheck = null;
                Outcome ofSet = null;
                if (body instanceof MultiResponse response) {
                    List<OpResult> results = response.getResultList();
                    if (results.stream().noneMatch(OpResult.ErrorResult.class::isInstance)) {
                        ofCheck = Outcome.of(Code.OK);
                        Stat stat = ((OpResult.SetDataResult) results.get(1)).getStat();
                        saw(client, set, stat, false);
                        ofSet = new Outcome(Code.OK, null, stat.getVersion(), ZnodeModel.NO_OWNER);
                    } else {
                        ofCheck = partFailure(results.get(0));
                        ofSet = partFailure(results.get(1));
                    }
                }
                List<Outcome> outcomes = one(checkedComesFirst ? ofCheck : ofSet);
                outcomes.add(checkedComesFirst ? ofSet : ofCheck);
                return outcomes;
            }
        };
        MultiOperationRecord body = new MultiOperationRecord(
                List.of(Op.check(checked, expectedVersion), Op.setData(set, bytes(value), -1)));
        client.request(OpCode.multi, body, true, recorded);
    }

    private static Outcome partFailure(OpResult result) {
        int error = ((OpResult.ErrorResult) result).getErr();
        return error == 0 ? null : failure(error);
    }

    // ---------------------------------------------------------------- sessions

    void closeSession(ZnodeClient client) {
        ZnodeSession session = client.session();
        session.close();
        Map<String, Request> ends = new TreeMap<>();
        for (String path : session.ephemeralPaths()) {
            ends.put(path, end(session.id()));
        }
        Recorded recorded = new Recorded(client, ends) {
            @Override
            List<Outcome> outcomes(int error, Record body) {
                client.sessionClosed();
                List<Outcome> outcomes = new ArrayList<>();
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
        History.Invocation end = history.invoke(sessionId, Kind.WRITE, path, end(sessionId));
        lost.add(() -> {
            long place = evidence.placeOfExpiry(sessionId);
            if (place == Operation.NO_PLACE) {
                end.withoutEffect();
            } else {
                end.placed(place);
                end.unknown();
            }
        });
    }

    // ---------------------------------------------------------------- what there was

    /** Nothing happens any more: what has taken effect of that which nobody got a reply to is certain. */
    void settleLost() {
        lost.forEach(Runnable::run);
        lost.clear();
    }

    long asked() {
        return asked;
    }

    long answered() {
        return answered;
    }

    /** Paths of nodes that were acknowledged and that nobody deletes. */
    TreeSet<String> lasting() {
        return lasting;
    }
}
