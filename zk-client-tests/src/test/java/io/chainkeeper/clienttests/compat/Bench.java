package io.chainkeeper.clienttests.compat;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.CreateRequest;

/**
 * A server or ensemble under one run of a script. Its connections have names and go through recording proxies; the
 * first letter of a name says where to: {@code a} to the first server, {@code b} to the second, {@code c} to the third.
 * A stock server alone is all three.
 */
final class Bench implements AutoCloseable {
    private static final int SESSION_TIMEOUT_MILLIS = Clients.SESSION_TIMEOUT_MILLIS;

    /** Wire clients send no pings; no session of theirs may expire while a script runs. */
    static final int WIRE_TIMEOUT_MILLIS = 3 * SESSION_TIMEOUT_MILLIS;

    private static final Duration EVENT_LIMIT = Duration.ofSeconds(20);
    private static final String RECORDED_FIRST = "a-first";

    /** First letter of connections whose replies are not compared, to any of the servers. */
    private static final String UNCOMPARED = "x";

    private final Ensemble ensemble;
    private final String root;
    private final Map<String, RecordingProxy> proxies = new LinkedHashMap<>();
    private final Map<String, WireClient> wires = new HashMap<>();
    private final Map<String, ZooKeeper> clients = new HashMap<>();
    private final Map<Long, Integer> sessions = new HashMap<>();
    private final Map<String, LinkedBlockingQueue<WatchedEvent>> events = new HashMap<>();
    private final Map<String, Object> notes = new HashMap<>();
    private final long baseZxid;

    /** Creates the script's root znode. */
    Bench(Ensemble ensemble, String root) throws Exception {
        this.ensemble = ensemble;
        this.root = root;
        WireClient first = wire(RECORDED_FIRST);
        String answer = first.ask(
                OpCode.create, new CreateRequest(root, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT.toFlag()));
        if (!answer.contains(" OK,")) {
            throw new AssertionError(root + " cannot be created: " + answer);
        }
        baseZxid = first.lastZxid();
    }

    String root() {
        return root;
    }

    boolean isStock() {
        return ensemble.isStock();
    }

    private ServerProcess server(String connection) {
        int place = connection.charAt(0) - 'a';
        List<ServerProcess> servers = ensemble.servers();
        return servers.get(place % servers.size());
    }

    /** Returns the proxy of a connection. */
    RecordingProxy proxy(String connection) throws Exception {
        RecordingProxy proxy = proxies.get(connection);
        if (proxy == null) {
            proxy = new RecordingProxy(server(connection));
            proxies.put(connection, proxy);
        }
        return proxy;
    }

    /** Returns the connection with this name and a session; opens it at the first call. */
    WireClient wire(String name) throws Exception {
        WireClient wire = wires.get(name);
        if (wire == null) {
            wire = unopened(name).open(WIRE_TIMEOUT_MILLIS);
            session(wire.sessionId());
        }
        return wire;
    }

    /** Returns a new connection with this name, on which nothing has been sent. */
    WireClient unopened(String name) throws Exception {
        WireClient wire = new WireClient(proxy(name).port());
        wires.put(name, wire);
        return wire;
    }

    /** Returns ZooKeeper's own client with this name; opens it at the first call. */
    ZooKeeper client(String name) throws Exception {
        return client(name, "");
    }

    /** Returns ZooKeeper's own client with this name; opens it below a path at the first call. */
    ZooKeeper client(String name, String chroot) throws Exception {
        ZooKeeper client = clients.get(name);
        if (client == null) {
            client = Clients.connect("127.0.0.1:" + proxy(name).port() + chroot, SESSION_TIMEOUT_MILLIS);
            clients.put(name, client);
            session(client.getSessionId());
        }
        return client;
    }

    /** Numbers a session that was opened without {@link #wire}. */
    void session(long id) {
        sessions.putIfAbsent(id, sessions.size() + 1);
    }

    /** Breaks a connection; its client finds the server with this letter behind the same address from then on. */
    void move(String connection, String to) throws Exception {
        proxy(connection).moveTo(server(to));
    }

    /** Returns the watcher with this name. */
    Watcher watcher(String name) {
        LinkedBlockingQueue<WatchedEvent> queue = queue(name);
        return event -> {
            if (event.getType() != EventType.None) {
                queue.add(event);
            }
        };
    }

    private LinkedBlockingQueue<WatchedEvent> queue(String watcher) {
        return events.computeIfAbsent(watcher, key -> new LinkedBlockingQueue<>());
    }

    /** Waits for the next events of a watcher. */
    List<String> events(String watcher, int count) throws Exception {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            WatchedEvent event = queue(watcher).poll(EVENT_LIMIT.toSeconds(), TimeUnit.SECONDS);
            seen.add(event == null ? "no event" : event.getType() + " " + event.getPath() + " " + event.getState());
        }
        return seen;
    }

    /** Returns the events of a watcher that have not been asked for. */
    List<String> restOfEvents(String watcher) {
        List<String> seen = new ArrayList<>();
        queue(watcher).forEach(event -> seen.add(event.getType() + " " + event.getPath()));
        queue(watcher).clear();
        return seen;
    }

    /** Waits until ZooKeeper's own client with this name has a server again. */
    void awaitConnected(String name) throws Exception {
        ZooKeeper client = clients.get(name);
        Await.until(
                name + " is connected again",
                EVENT_LIMIT,
                () -> client.getState().isConnected());
    }

    /** Keeps a value of this run for a later step. */
    <T> T note(String name, T value) {
        notes.put(name, value);
        return value;
    }

    /** Returns a value of this run. */
    @SuppressWarnings("unchecked")
    <T> T noted(String name) {
        return (T) notes.get(name);
    }

    long baseZxid() {
        return baseZxid;
    }

    /** Returns the masked replies of every connection, by name and number. */
    Map<String, List<String>> replies() throws Exception {
        ReplyMask mask = new ReplyMask(baseZxid, sessions);
        Map<String, List<String>> replies = new LinkedHashMap<>();
        for (Map.Entry<String, RecordingProxy> proxy : proxies.entrySet()) {
            if (proxy.getKey().startsWith(UNCOMPARED)) {
                continue;
            }
            int number = 1;
            for (RecordingProxy.Recording recording : proxy.getValue().recordings()) {
                replies.put(proxy.getKey() + " connection " + number++, mask.replies(recording));
            }
        }
        return replies;
    }

    /** Ends all sessions, so that none expires while another script runs. */
    @Override
    public void close() throws Exception {
        for (ZooKeeper client : clients.values()) {
            client.close();
        }
        for (Map.Entry<String, WireClient> named : wires.entrySet()) {
            WireClient wire = named.getValue();
            wire.close();
            if (wire.sessionId() != 0) {
                try (WireClient again = new WireClient(server("a").clientPort())) {
                    String answer = again.connect(
                            new ConnectRequest(0, 0, WIRE_TIMEOUT_MILLIS, wire.sessionId(), wire.password(), false));
                    if (answer.startsWith("session")) {
                        again.ask(OpCode.closeSession);
                    }
                }
            }
        }
        for (RecordingProxy proxy : proxies.values()) {
            proxy.close();
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
