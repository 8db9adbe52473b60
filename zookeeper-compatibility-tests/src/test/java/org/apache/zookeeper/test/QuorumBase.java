package org.apache.zookeeper.test;

import io.chainkeeper.compatibility.InProcessEnsemble;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.TestableZooKeeper;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.ServerState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Stands before the class of this name in ZooKeeper's tests, which starts five quorum servers. This one starts five
 * replicas; with observers, the last two of them are that. What the tests see as quorum peers are the replicas' passive
 * ones.
 */
public class QuorumBase extends ClientBase {
    private static final int SIZE = 5;
    private static final int TICK_MILLIS = 2_000;

    protected boolean localSessionsEnabled;
    protected boolean localSessionsUpgradingEnabled;
    protected int portClient1;
    protected int portClient2;
    protected int portClient3;
    protected int portClient4;
    protected int portClient5;
    QuorumPeer s1;
    QuorumPeer s2;
    QuorumPeer s3;
    QuorumPeer s4;
    QuorumPeer s5;

    private InProcessEnsemble ensemble;

    @BeforeEach
    @Override
    public void setUp() throws Exception {
        setUp(false, true);
    }

    /**
     * Starts the replicas.
     *
     * @param withObservers whether the last two are observers
     * @param withOracle does not matter
     */
    protected void setUp(boolean withObservers, boolean withOracle) throws Exception {
        setupTestEnv();
        setUpAll();
        ensemble = new InProcessEnsemble(createTmpDir().toPath(), SIZE, Map.of());
        ensemble.set("tickTime", Integer.toString(TICK_MILLIS));
        hostPort = ensemble.connectString();
        portClient1 = ensemble.clientPort(1);
        portClient2 = ensemble.clientPort(2);
        portClient3 = ensemble.clientPort(3);
        portClient4 = ensemble.clientPort(4);
        portClient5 = ensemble.clientPort(5);
        startServers(withObservers, withOracle);
    }

    void startServers() throws Exception {
        startServers(false, true);
    }

    void startServers(boolean withObservers, boolean withOracle) throws IOException {
        ensemble.set("localSessionsEnabled", Boolean.toString(localSessionsEnabled));
        ensemble.set("localSessionsUpgradingEnabled", Boolean.toString(localSessionsUpgradingEnabled));
        ensemble.setObservers(withObservers ? 2 : 0);
        ensemble.startAll();
        s1 = ensemble.server(1).self;
        s2 = ensemble.server(2).self;
        s3 = ensemble.server(3).self;
        s4 = ensemble.server(4).self;
        s5 = ensemble.server(5).self;
    }

    /** Returns the peers, ascending by id. */
    public ArrayList<QuorumPeer> getPeerList() {
        return new ArrayList<>(List.of(s1, s2, s3, s4, s5));
    }

    /** Returns the position of the leader in {@link #getPeerList}, or -1. */
    public int getLeaderIndex() {
        ArrayList<QuorumPeer> peers = getPeerList();
        for (int index = 0; index < peers.size(); index++) {
            if (peers.get(index).getPeerState() == ServerState.LEADING) {
                return index;
            }
        }
        return -1;
    }

    /** Returns the leader, or null. */
    public QuorumPeer getLeaderQuorumPeer() {
        int index = getLeaderIndex();
        return index < 0 ? null : getPeerList().get(index);
    }

    /** Returns the client port of the leader. */
    public int getLeaderClientPort() {
        return getLeaderQuorumPeer().getClientPort();
    }

    /** Returns the first observer, or null. */
    public QuorumPeer getFirstObserver() {
        for (QuorumPeer peer : getPeerList()) {
            if (peer.getLearnerType() == LearnerType.OBSERVER) {
                return peer;
            }
        }
        return null;
    }

    /** Returns the client port of the first observer, or -1. */
    public int getFirstObserverClientPort() {
        QuorumPeer observer = getFirstObserver();
        return observer == null ? -1 : observer.getClientPort();
    }

    /** Returns what a client needs to connect to any peer in that state. */
    public String getPeersMatching(ServerState state) {
        List<String> addresses = new ArrayList<>();
        for (QuorumPeer peer : getPeerList()) {
            if (peer.getPeerState() == state) {
                addresses.add("127.0.0.1:" + peer.getClientPort());
            }
        }
        return String.join(",", addresses);
    }

    /** Returns the peer with this client port, or null. */
    public QuorumPeer getPeerByClientPort(int clientPort) {
        for (QuorumPeer peer : getPeerList()) {
            if (peer.getClientPort() == clientPort) {
                return peer;
            }
        }
        return null;
    }

    /** Returns the leader's data directory. */
    public File getLeaderDataDir() {
        return ensemble.directory(getLeaderIndex() + 1).toFile();
    }

    @AfterEach
    @Override
    public void tearDown() throws Exception {
        tearDownAll();
        shutdownServers();
    }

    /** Stops all replicas. */
    public void shutdownServers() {
        if (ensemble != null) {
            ensemble.close();
        }
    }

    /** Stops the replica behind a peer. */
    public static void shutdown(QuorumPeer peer) {
        InProcessEnsemble.stop(peer);
    }

    @Override
    protected TestableZooKeeper createClient() throws IOException, InterruptedException {
        return createClient(hostPort);
    }

    @Override
    protected TestableZooKeeper createClient(String addresses) throws IOException, InterruptedException {
        return createClient(new CountdownWatcher(), addresses);
    }

    protected TestableZooKeeper createClient(CountdownWatcher watcher, ServerState state)
            throws IOException, InterruptedException {
        return createClient(watcher, getPeersMatching(state));
    }
}
