package org.apache.zookeeper.test;

import io.chainkeeper.compatibility.InProcessEnsemble;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.ServerState;

/**
 * Stands before the class of this name in ZooKeeper's tests, which starts quorum servers one by one. This one starts
 * replicas.
 */
public class QuorumUtil {
    private static final int TICK_MILLIS = 2_000;

    /** The largest number of servers that may fail. */
    public final int N;

    /** The number of servers. */
    public final int ALL;

    /** Does not matter. */
    public boolean disableJMXTest;

    private final InProcessEnsemble ensemble;
    private final Map<Integer, PeerStruct> peers = new TreeMap<>();

    /** A server. */
    public class PeerStruct {
        /** From 1. */
        public int id;
        /** The replica's passive peer, once it has been started. */
        public QuorumPeer peer;

        /** The replica's directory. */
        public File dataDir;

        /** Its port for clients. */
        public int clientPort;
    }

    /** Names 2n+1 servers. */
    public QuorumUtil(int n) {
        this(n, 3);
    }

    /** Names 2n+1 servers. */
    public QuorumUtil(int n, int syncLimit) {
        N = n;
        ALL = 2 * n + 1;
        try {
            ClientBase.setupTestEnv();
            ensemble = new InProcessEnsemble(ClientBase.createTmpDir().toPath(), ALL, Map.of());
        } catch (IOException e) {
            throw new IllegalStateException("no directory for the replicas", e);
        }
        ensemble.set("tickTime", Integer.toString(TICK_MILLIS));
        ensemble.set("syncLimit", Integer.toString(syncLimit));
        for (int id = 1; id <= ALL; id++) {
            PeerStruct peer = new PeerStruct();
            peer.id = id;
            peer.clientPort = ensemble.clientPort(id);
            peer.dataDir = ensemble.directory(id).toFile();
            peers.put(id, peer);
        }
    }

    /** Returns a server, by its id from 1. */
    public PeerStruct getPeer(int id) {
        return peers.get(id);
    }

    /** Says whether servers that are started later have local sessions. */
    public void enableLocalSession(boolean enabled) {
        ensemble.set("localSessionsEnabled", Boolean.toString(enabled));
        ensemble.set("localSessionsUpgradingEnabled", Boolean.toString(enabled));
    }

    /** Starts all servers anew. */
    public void startAll() throws IOException {
        shutdownAll();
        startSome(ALL);
    }

    /** Starts a bare majority of the servers anew. */
    public void startQuorum() throws IOException {
        shutdownAll();
        startSome(N + 1);
    }

    private void startSome(int count) throws IOException {
        for (int id = 1; id <= count; id++) {
            start(id);
        }
        for (int id = 1; id <= count; id++) {
            ensemble.awaitServing(id);
        }
    }

    /** Starts a server; does not wait until it serves. */
    public void start(int id) throws IOException {
        ensemble.start(id);
        getPeer(id).peer = ensemble.server(id).self;
    }

    /** Starts a server and waits until it serves. */
    public void restart(int id) throws IOException {
        start(id);
        ensemble.awaitServing(id);
    }

    /** Starts a server, waits until it serves, and stops it. */
    public void startThenShutdown(int id) throws IOException {
        restart(id);
        shutdown(id);
    }

    /** Stops a server if it runs. */
    public void shutdown(int id) {
        ensemble.stop(id);
    }

    /** Stops all servers that run. */
    public void shutdownAll() {
        ensemble.close();
    }

    /** Stops all servers that run. */
    public void tearDown() throws Exception {
        shutdownAll();
    }

    /** Returns what a client needs to connect to any of the servers. */
    public String getConnString() {
        return ensemble.connectString();
    }

    /** Returns what a client needs to connect to this server. */
    public String getConnectString(QuorumPeer peer) {
        return "127.0.0.1:" + peer.getClientPort();
    }

    /** Returns what a client needs to connect to this server. */
    public String getConnectionStringForServer(int id) {
        return "127.0.0.1:" + getPeer(id).clientPort;
    }

    /** Returns whether all servers run and have a leader. */
    public boolean allPeersAreConnected() {
        return peers.values().stream()
                .allMatch(peer ->
                        ensemble.isRunning(peer.id) && ensemble.server(peer.id).isServing());
    }

    /** Returns the leader, or null. */
    public QuorumPeer getLeaderQuorumPeer() {
        return leaderExists() ? getPeer(getLeaderServer()).peer : null;
    }

    /** Returns the servers that follow. */
    public List<QuorumPeer> getFollowerQuorumPeers() {
        List<QuorumPeer> followers = new ArrayList<>();
        for (PeerStruct peer : peers.values()) {
            if (ensemble.isRunning(peer.id) && peer.peer.getPeerState() == ServerState.FOLLOWING) {
                followers.add(peer.peer);
            }
        }
        return followers;
    }

    /** Returns the id of the leader, or 0. */
    public int getLeaderServer() {
        for (PeerStruct peer : peers.values()) {
            if (ensemble.isRunning(peer.id) && peer.peer.getPeerState() == ServerState.LEADING) {
                return peer.id;
            }
        }
        return 0;
    }

    /** Returns whether a server leads. */
    public boolean leaderExists() {
        return getLeaderServer() != 0;
    }
}
