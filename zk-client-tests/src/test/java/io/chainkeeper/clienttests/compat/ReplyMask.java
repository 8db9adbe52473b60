package io.chainkeeper.clienttests.compat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.Create2Response;
import org.apache.zookeeper.proto.CreateResponse;
import org.apache.zookeeper.proto.ErrorResponse;
import org.apache.zookeeper.proto.ExistsResponse;
import org.apache.zookeeper.proto.GetACLResponse;
import org.apache.zookeeper.proto.GetAllChildrenNumberResponse;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.GetChildrenResponse;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.GetEphemeralsResponse;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.SetACLResponse;
import org.apache.zookeeper.proto.SetDataResponse;
import org.apache.zookeeper.proto.SyncResponse;
import org.apache.zookeeper.proto.WatcherEvent;
import org.apache.zookeeper.proto.WhoAmIResponse;

/**
 * Makes the reply bytes of two servers comparable. Every reply is parsed, serialized again (the same bytes must come
 * out, so nothing is left unseen), masked and serialized once more. Masked are only times, which become 1, session ids,
 * which become their number in the order of opening, passwords, and zxids, which become their distance from the first
 * transaction of the script. Answers to pings are left out: when a client sends one is chance.
 */
final class ReplyMask {
    private static final int NOTIFICATION_XID = -1;
    private static final int PING_XID = -2;

    /** Stands for every zxid from before the script. */
    private static final long EARLIER_ZXID = Long.MIN_VALUE;

    private static final long EARLIER_SESSION = -9;

    private final long baseZxid;
    private final Map<Long, Integer> sessions;

    /**
     * @param baseZxid zxid of the script's first transaction
     * @param sessions number of each session of the script
     */
    ReplyMask(long baseZxid, Map<Long, Integer> sessions) {
        this.baseZxid = baseZxid;
        this.sessions = sessions;
    }

    /** Returns all replies of a connection, masked, in their order: the kind of reply and its bytes. */
    List<String> replies(RecordingProxy.Recording recording) throws IOException {
        Map<Integer, Deque<Integer>> types = new HashMap<>();
        List<byte[]> requests = recording.requests().frames();
        for (byte[] request : requests.subList(Math.min(1, requests.size()), requests.size())) {
            if (request.length >= 2 * Integer.BYTES) {
                RequestHeader header = new RequestHeader();
                header.deserialize(WireClient.archive(request), "header");
                types.computeIfAbsent(header.getXid(), xid -> new ArrayDeque<>())
                        .add(header.getType());
            }
        }
        List<String> lines = new ArrayList<>();
        for (byte[] reply : recording.replies().frames()) {
            if (lines.isEmpty()) {
                lines.add(connected(reply));
            } else if (ByteBuffer.wrap(reply).getInt() != PING_XID) {
                lines.add(reply(reply, types));
            }
        }
        if (recording.replies().restBytes() > 0) {
            lines.add("and " + recording.replies().restBytes() + " bytes that are no frame");
        }
        return lines;
    }

    private String connected(byte[] frame) throws IOException {
        ConnectResponse response = new ConnectResponse();
        response.deserialize(WireClient.archive(frame), "connect");
        requireSame(frame, response);
        response.setSessionId(session(response.getSessionId()));
        response.setPasswd(new byte[response.getPasswd().length]);
        return "connected " + hex(WireClient.bytes(response));
    }

    private String reply(byte[] frame, Map<Integer, Deque<Integer>> types) throws IOException {
        BinaryInputArchive archive = WireClient.archive(frame);
        ReplyHeader header = new ReplyHeader();
        header.deserialize(archive, "header");
        boolean event = header.getXid() == NOTIFICATION_XID;
        Deque<Integer> pending = types.get(header.getXid());
        int type = event ? OpCode.notification : pending == null || pending.isEmpty() ? OpCode.error : pending.poll();
        boolean hasBody = frame.length > WireClient.bytes(header).length;
        Record body = hasBody && (event || header.getErr() == 0) ? emptyBody(type) : null;
        if (body != null) {
            body.deserialize(archive, "body");
            requireSame(frame, header, body);
            mask(body);
        }
        String kind = event ? "event" : "xid " + header.getXid() + " type " + type + " error " + header.getErr();
        header.setZxid(zxid(header.getZxid()));
        byte[] masked = body == null ? new byte[0] : WireClient.bytes(body);
        if (body == null && hasBody) {
            masked = Arrays.copyOfRange(frame, frame.length - WireClient.body(frame).length, frame.length);
        }
        return kind + " zxid " + header.getZxid() + " " + hex(WireClient.bytes(header)) + " " + hex(masked);
    }

    private static void requireSame(byte[] frame, Record... records) throws IOException {
        byte[] again = WireClient.bytes(records);
        if (!Arrays.equals(frame, again)) {
            throw new AssertionError(
                    "a reply holds more or less than its records: " + hex(frame) + " against " + hex(again));
        }
    }

    private static Record emptyBody(int type) {
        return switch (type) {
            case OpCode.notification -> new WatcherEvent();
            case OpCode.create -> new CreateResponse();
            case OpCode.create2, OpCode.createContainer, OpCode.createTTL -> new Create2Response();
            case OpCode.exists -> new ExistsResponse();
            case OpCode.getData, OpCode.reconfig -> new GetDataResponse();
            case OpCode.setData -> new SetDataResponse();
            case OpCode.getACL -> new GetACLResponse();
            case OpCode.setACL -> new SetACLResponse();
            case OpCode.getChildren -> new GetChildrenResponse();
            case OpCode.getChildren2 -> new GetChildren2Response();
            case OpCode.sync -> new SyncResponse();
            case OpCode.multi, OpCode.multiRead -> new MultiResponse();
            case OpCode.addWatch -> new ErrorResponse();
            case OpCode.getEphemerals -> new GetEphemeralsResponse();
            case OpCode.getAllChildrenNumber -> new GetAllChildrenNumberResponse();
            case OpCode.whoAmI -> new WhoAmIResponse();
            default -> null;
        };
    }

    private void mask(Record body) {
        if (body instanceof Create2Response response) {
            mask(response.getStat());
        } else if (body instanceof ExistsResponse response) {
            mask(response.getStat());
        } else if (body instanceof GetDataResponse response) {
            mask(response.getStat());
        } else if (body instanceof SetDataResponse response) {
            mask(response.getStat());
        } else if (body instanceof GetACLResponse response) {
            mask(response.getStat());
        } else if (body instanceof SetACLResponse response) {
            mask(response.getStat());
        } else if (body instanceof GetChildren2Response response) {
            mask(response.getStat());
        } else if (body instanceof MultiResponse response) {
            response.forEach(this::mask);
        }
    }

    private void mask(OpResult result) {
        if (result instanceof OpResult.CreateResult created && created.getStat() != null) {
            mask(created.getStat());
        } else if (result instanceof OpResult.SetDataResult set) {
            mask(set.getStat());
        } else if (result instanceof OpResult.GetDataResult got) {
            mask(got.getStat());
        }
    }

    private void mask(Stat stat) {
        stat.setCzxid(zxid(stat.getCzxid()));
        stat.setMzxid(zxid(stat.getMzxid()));
        stat.setPzxid(zxid(stat.getPzxid()));
        stat.setCtime(stat.getCtime() == 0 ? 0 : 1);
        stat.setMtime(stat.getMtime() == 0 ? 0 : 1);
        stat.setEphemeralOwner(session(stat.getEphemeralOwner()));
    }

    private long zxid(long zxid) {
        if (zxid <= 0) {
            return zxid;
        }
        return zxid < baseZxid ? EARLIER_ZXID : zxid - baseZxid;
    }

    /** Owners that mark containers and times to live are no sessions and stay. */
    private long session(long id) {
        if (id <= 0) {
            return id;
        }
        Integer number = sessions.get(id);
        return number == null ? EARLIER_SESSION : number;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
