package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.checker.GuardedZnodeModel;
import io.chainkeeper.simulation.checker.GuardedZnodeModel.Action;
import io.chainkeeper.simulation.checker.GuardedZnodeModel.Code;
import io.chainkeeper.simulation.checker.GuardedZnodeModel.Outcome;
import io.chainkeeper.simulation.checker.GuardedZnodeModel.Request;
import io.chainkeeper.simulation.checker.GuardedZnodeModel.State;
import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.znode.ZnodeJournal.Asked;
import io.chainkeeper.simulation.znode.ZnodeJournal.Recorded;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.GetACLResponse;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetACLResponse;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SetDataResponse;

/** What clients ask of one znode whose access list changes all the time. */
final class GuardedZnodeOperations {
    /** The znode; nobody deletes it. */
    static final String PATH = "/guarded";

    private static final int[] PERMISSIONS = {
        Perms.ALL, Perms.ALL & ~Perms.WRITE, Perms.ALL & ~Perms.READ, Perms.ALL & ~Perms.READ & ~Perms.WRITE
    };

    private final ZnodeJournal journal;
    private int seenListVersion;

    /** @param journal takes what is asked and answered */
    GuardedZnodeOperations(ZnodeJournal journal) {
        this.journal = journal;
    }

    /** The model of the znode. */
    static GuardedZnodeModel model() {
        return new GuardedZnodeModel(Perms.ALL);
    }

    /** One operation; the answer tells the state as far as it is known from it. */
    private abstract class Guarded {
        private final Recorded recorded;

        Guarded(ZnodeClient client, Kind kind, Request request) {
            recorded = journal.new Recorded(client, Map.of(PATH, new Asked(kind, request))) {
                @Override
                List<Object> outcomes(int error, Record body) {
                    return ZnodeJournal.one(error == 0 ? new Outcome(Code.OK, seen(body)) : failure(error));
                }
            };
        }

        abstract State seen(Record body);
    }

    private static Outcome failure(int error) {
        KeeperException.Code code = KeeperException.Code.get(error);
        return switch (code) {
            case NOAUTH -> new Outcome(Code.NO_AUTH, null);
            case BADVERSION -> new Outcome(Code.BAD_VERSION, null);
            // It may not have been created yet when the session's first request was lost; a ring may be full.
            case NONODE, SESSIONEXPIRED, SESSIONMOVED, THROTTLEDOP -> null;
            default -> throw new InvariantViolated("an operation on " + PATH + " failed with " + code);
        };
    }

    private State state(int permissions, String value, Stat stat) {
        seenListVersion = stat.getAversion();
        return new State(permissions, stat.getAversion(), value, stat.getVersion());
    }

    /** Gives everybody other permissions; to change the list is always among them. */
    void setList(ZnodeClient client, int choice, boolean conditional) {
        int permissions = PERMISSIONS[choice % PERMISSIONS.length];
        int expected = conditional ? seenListVersion : GuardedZnodeModel.ANY_VERSION;
        Request request = new Request(Action.SET_LIST, Perms.ADMIN, permissions, expected, null);
        Kind kind = conditional ? Kind.COMPARE_AND_SET : Kind.WRITE;
        Guarded guarded = new Guarded(client, kind, request) {
            @Override
            State seen(Record body) {
                return state(permissions, "", ((SetACLResponse) body).getStat());
            }
        };
        List<ACL> list = List.of(new ACL(permissions, Ids.ANYONE_ID_UNSAFE));
        client.request(OpCode.setACL, new SetACLRequest(PATH, list, expected), true, guarded.recorded);
    }

    void getList(ZnodeClient client) {
        Request request = new Request(Action.GET_LIST, 0, 0, GuardedZnodeModel.ANY_VERSION, null);
        Guarded guarded = new Guarded(client, Kind.READ, request) {
            @Override
            State seen(Record body) {
                GetACLResponse response = (GetACLResponse) body;
                return state(response.getAcl().get(0).getPerms(), "", response.getStat());
            }
        };
        client.request(OpCode.getACL, new GetACLRequest(PATH), false, guarded.recorded);
    }

    void setData(ZnodeClient client) {
        String value = "g" + journal.asked();
        Request request = new Request(Action.SET_DATA, Perms.WRITE, 0, GuardedZnodeModel.ANY_VERSION, value);
        Guarded guarded = new Guarded(client, Kind.WRITE, request) {
            @Override
            State seen(Record body) {
                return state(0, value, ((SetDataResponse) body).getStat());
            }
        };
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        client.request(OpCode.setData, new SetDataRequest(PATH, bytes, -1), true, guarded.recorded);
    }

    void getData(ZnodeClient client) {
        Request request = new Request(Action.GET_DATA, Perms.READ, 0, GuardedZnodeModel.ANY_VERSION, null);
        Guarded guarded = new Guarded(client, Kind.READ, request) {
            @Override
            State seen(Record body) {
                GetDataResponse response = (GetDataResponse) body;
                return state(0, new String(response.getData(), StandardCharsets.UTF_8), response.getStat());
            }
        };
        client.request(OpCode.getData, new GetDataRequest(PATH, false), false, guarded.recorded);
    }
}
