package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.checker.WatchChecker;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.EventQueue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.SetWatches;
import org.apache.zookeeper.proto.WatcherEvent;
import org.apache.zookeeper.server.RequestRecord;

/**
 * A client as ZooKeeper's own is: one session at a time, pings while idle, another server when one is silent, its
 * watches set again there. Checks what a session is promised: replies in the order of requests, zxids that never
 * decrease, events before what they announce.
 */
final class ZnodeClient implements ClientLink.ClientEnd {
    private static final int NOTIFICATION_XID = -1;
    private static final int PING_XID = -2;
    private static final int SET_WATCHES_XID = -8;
    private static final int TICKS_PER_TIMEOUT = 12;
    private static final long MAX_BACKOFF_MICROS = 40_000;

    /** Told how a request ended. */
    interface ReplyHandler {
        /** The reply has come. */
        void replied(int xid, int error, Record body);

        /** The connection is gone; the request may have taken effect or not. */
        void lost(int xid);
    }

    private record Pending(int xid, ReplyHandler handler) {}

    private enum State {
        DISCONNECTED,
        CONNECTING,
        CONNECTED,
        GONE
    }

    private final int number;
    private final int pinnedTo;
    private final int timeoutMillis;
    private final EventQueue events;
    private final SplittableRandom random;
    private final Cluster cluster;
    private final ZnodeWorkload workload;
    private final Deque<Pending> pending = new ArrayDeque<>();

    private ZnodeSession session = new ZnodeSession(0);
    private byte[] password = new byte[16];
    private State state = State.DISCONNECTED;
    private ClientLink link;
    private int lastXid;
    private long heardMicros;
    private long sentMicros;
    private int expiries;
    private boolean administrator;

    /**
     * @param number of the client
     * @param pinnedTo the only replica that it uses, or 0 for any
     * @param timeoutMillis of its sessions
     * @param events virtual time
     * @param random its choices
     * @param cluster the replicas
     * @param workload what all clients share
     */
    ZnodeClient(
            int number,
            int pinnedTo,
            int timeoutMillis,
            EventQueue events,
            SplittableRandom random,
            Cluster cluster,
            ZnodeWorkload workload) {
        this.number = number;
        this.pinnedTo = pinnedTo;
        this.timeoutMillis = timeoutMillis;
        this.events = events;
        this.random = random;
        this.cluster = cluster;
        this.workload = workload;
    }

    /** From now on it connects as one who may do everything. */
    ZnodeClient asAdministrator() {
        administrator = true;
        return this;
    }

    boolean isAdministrator() {
        return administrator;
    }

    /** Begins to look for a server. */
    void start() {
        events.after(random.nextLong(MAX_BACKOFF_MICROS), this::connect);
        tickLater();
    }

    // ---------------------------------------------------------------- connection

    private void connect() {
        if (state != State.DISCONNECTED) {
            return;
        }
        List<Integer> servers = cluster.configured();
        int replica = pinnedTo != 0 ? pinnedTo : servers.get(random.nextInt(servers.size()));
        ReplicaHost host = cluster.host(replica);
        if (host == null || !((ZnodeReplica) host.application()).isServing()) {
            connectLater();
            return;
        }
        ConnectRequest request =
                new ConnectRequest(0, session.watches().lastReplyZxid(), timeoutMillis, session.id(), password, false);
        try {
            link = new ClientLink(workload.nextLinkNumber(), events, cluster, host, this);
        } catch (IOException e) {
            throw new UncheckedIOException("connection to replica " + replica + ": " + e.getMessage(), e);
        }
        state = State.CONNECTING;
        workload.note(this, "connects to", replica);
        heardMicros = events.nowMicros();
        ZnodeReplica server = (ZnodeReplica) host.application();
        boolean mayDoAll = administrator;
        link.send(connection -> {
            if (mayDoAll) {
                connection.addAuthInfo(new Id("super", "administrator"));
            }
            server.connectRequest(connection, request);
        });
    }

    private void connectLater() {
        events.after(1 + random.nextLong(MAX_BACKOFF_MICROS), this::connect);
    }

    /** Leaves the server; what is outstanding is lost. */
    void disconnect() {
        if (link != null) {
            link.closeByClient();
            lose();
        }
    }

    private void lose() {
        workload.note(this, "loses its connection, requests outstanding:", pending.size());
        link = null;
        state = State.DISCONNECTED;
        List<Pending> lost = new ArrayList<>(pending);
        pending.clear();
        lost.forEach(each -> each.handler().lost(each.xid()));
        if (session.isClosing()) {
            begin(new ZnodeSession(0)); // a client that wanted to close it does not come back with it
        }
        connectLater();
    }

    @Override
    public void connected(ClientLink from, ConnectResponse response) {
        if (from != link) {
            return;
        }
        if (response.getSessionId() == 0) {
            expiries++;
            workload.sessionExpired(this, session);
            begin(new ZnodeSession(0));
            disconnect();
            return;
        }
        InvariantViolated.check(
                session.id() == 0 || session.id() == response.getSessionId(),
                "%s asked for session 0x%x and got 0x%x",
                this,
                session.id(),
                response.getSessionId());
        state = State.CONNECTED;
        workload.note(this, "is connected with session", response.getSessionId());
        heardMicros = events.nowMicros();
        boolean isNew = session.id() == 0;
        if (isNew) {
            session = new ZnodeSession(response.getSessionId());
            password = response.getPasswd();
        }
        session.connectionBegins();
        if (isNew) {
            workload.sessionBegins(this);
        } else {
            setWatches();
        }
    }

    private void begin(ZnodeSession next) {
        session = next;
        password = new byte[16];
    }

    private void setWatches() {
        WatchChecker watches = session.watches();
        SetWatches request = new SetWatches(
                watches.lastReplyZxid(), watches.dataPaths(true), watches.dataPaths(false), watches.childPaths());
        send(SET_WATCHES_XID, OpCode.setWatches, request);
    }

    @Override
    public void closed(ClientLink from) {
        if (from == link) {
            lose();
        }
    }

    // ---------------------------------------------------------------- time

    private void tickLater() {
        events.after(timeoutMillis * 1000L / TICKS_PER_TIMEOUT, () -> {
            if (state != State.GONE) {
                tick();
                tickLater();
            }
        });
    }

    private void tick() {
        long silentMicros = events.nowMicros() - heardMicros;
        long timeoutMicros = timeoutMillis * 1000L;
        if (state == State.CONNECTING && silentMicros > timeoutMicros / 3) {
            disconnect();
        } else if (state == State.CONNECTED && silentMicros > timeoutMicros * 2 / 3) {
            disconnect();
        } else if (state == State.CONNECTED && events.nowMicros() - sentMicros > timeoutMicros / 4) {
            send(PING_XID, OpCode.ping, null);
        }
    }

    // ---------------------------------------------------------------- requests

    boolean isConnected() {
        return state == State.CONNECTED;
    }

    /** Whether it has a connection to a replica. */
    boolean isConnectedTo(int replica) {
        return isConnected() && link.server() == replica;
    }

    int outstanding() {
        return pending.size();
    }

    /** Sends a request; only while connected. Returns its number. */
    int request(int opcode, Record body, boolean isWrite, ReplyHandler handler) {
        int xid = ++lastXid;
        pending.addLast(new Pending(xid, handler));
        if (isWrite) {
            session.wrote(xid);
        }
        workload.note(this, "asks", xid);
        send(xid, opcode, body);
        return xid;
    }

    private void send(int xid, int opcode, Record body) {
        sentMicros = events.nowMicros();
        byte[] bytes = body == null ? new byte[0] : serialized(body);
        RequestHeader header = new RequestHeader(xid, opcode);
        ZnodeReplica server = link.replica();
        link.send(connection -> server.packet(connection, header, RequestRecord.fromBytes(bytes)));
    }

    private static byte[] serialized(Record record) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            record.serialize(BinaryOutputArchive.getArchive(bytes), "request");
        } catch (IOException e) {
            throw new UncheckedIOException("a request does not encode: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void received(ClientLink from, ReplyHeader header, Record body) {
        if (from != link) {
            return;
        }
        heardMicros = events.nowMicros();
        if (header.getXid() == NOTIFICATION_XID) {
            WatcherEvent event = (WatcherEvent) body;
            session.watches().event(EventType.fromInt(event.getType()), event.getPath(), header.getZxid());
            workload.eventReceived();
            return;
        }
        session.watches().replied(header.getZxid());
        if (header.getXid() != PING_XID && header.getXid() != SET_WATCHES_XID) {
            Pending next = pending.pollFirst();
            InvariantViolated.check(
                    next != null && next.xid() == header.getXid(),
                    "%s got the reply to request %d, expected %s",
                    this,
                    header.getXid(),
                    next == null ? "none" : next.xid());
            workload.note(this, "is answered", next.xid());
            next.handler().replied(next.xid(), header.getErr(), body);
        }
    }

    // ---------------------------------------------------------------- session

    ZnodeSession session() {
        return session;
    }

    /** The session was closed by request; another one follows. */
    void sessionClosed() {
        begin(new ZnodeSession(0));
        disconnect();
    }

    /** The client forgets its session without a word; another one follows unless it is gone for good. */
    void vanish(boolean forGood) {
        if (link != null) {
            link.vanish();
            ZnodeSession abandoned = session;
            begin(new ZnodeSession(0));
            lose();
            workload.sessionAbandoned(abandoned);
        }
        if (forGood) {
            state = State.GONE;
        }
    }

    /** For a time nothing reaches the server or the client. */
    void hold(long durationMicros) {
        if (link != null) {
            link.hold(durationMicros);
        }
    }

    int timeoutMillis() {
        return timeoutMillis;
    }

    /** How many of its sessions were found to have expired. */
    int expiries() {
        return expiries;
    }

    @Override
    public String toString() {
        return "client " + number + " with session 0x" + Long.toHexString(session.id());
    }
}
