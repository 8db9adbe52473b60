package io.chainkeeper.server.reconfig;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.common.StringUtils;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.server.EphemeralType;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig.ConfigException;
import org.apache.zookeeper.server.quorum.flexible.QuorumMaj;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;

/**
 * What the accepting replica decides about a {@code reconfig}, in the order and with the errors of ZooKeeper's leader.
 * Nowhere else is the request's text read. Stateless. Used by the maintenance thread, except for {@link Wanted#draft}.
 */
public final class ReconfigPlanner {
    private static final int ID_OF_TTL_NODES = 255;

    private final OrderedZooKeeperServer server;
    private final ReplicatedState state;
    private final Supplier<OrderingStatus> status;
    private final IntPredicate linked;
    private final int replicaId;

    /**
     * @param server whose tree holds the access list
     * @param state the replicated configuration
     * @param status the order's view of its leader
     * @param linked whether a link to a member is up
     * @param replicaId this replica
     */
    public ReconfigPlanner(
            OrderedZooKeeperServer server,
            ReplicatedState state,
            Supplier<OrderingStatus> status,
            IntPredicate linked,
            int replicaId) {
        this.server = server;
        this.state = state;
        this.status = status;
        this.linked = linked;
        this.replicaId = replicaId;
    }

    /**
     * A request whose servers' names have to be looked up.
     *
     * @param record what the client asks for
     * @param present the configuration that it is to change
     * @param shown that of the peer, which has looked its names up
     */
    public record Wanted(ReconfigRequest record, EnsembleConfig present, QuorumVerifier shown) {
        /** @return what is wrong or unsupported in it is part of the draft; any thread, which waits for the names */
        public Draft draft() {
            QuorumVerifier servers;
            try {
                servers = servers(record, present, shown);
                checkSize(servers);
            } catch (KeeperException e) {
                return new Draft(null, e, null, null);
            }
            try {
                EnsembleConfig next = supported(servers).withVersion(present.version());
                return new Draft(servers, null, next, verifier(next));
            } catch (KeeperException e) {
                return new Draft(servers, e, null, null);
            }
        }

        /** @return where the names stand: the servers as the client wrote them, or those that there are */
        public String text() {
            String written = record.getNewMembers() != null ? record.getNewMembers() : record.getJoiningServers();
            return written != null ? written : present.text();
        }
    }

    /**
     * What a request leads to.
     *
     * @param servers null if the request makes no sense
     * @param refusal why there is no configuration, else null
     * @param configuration the servers that there are to be, under the version of the present configuration
     * @param verifier the same for ZooKeeper's classes
     */
    public record Draft(
            QuorumVerifier servers, KeeperException refusal, EnsembleConfig configuration, QuorumVerifier verifier) {}

    /**
     * Checks a request, as far as that needs no names, against the state that its client can have seen.
     *
     * @param request a request whose record decodes
     * @param busy whether this replica is at another one
     * @return what is to be looked up
     * @throws KeeperException with ZooKeeper's code if it is refused
     */
    public Wanted wanted(Request request, boolean busy) throws KeeperException {
        ReconfigRequest record = record(request);
        return new Wanted(record, present(request, record, busy), server.self.getQuorumVerifier());
    }

    /**
     * Checks the rest, and again what may have changed while names were looked up.
     *
     * @param request the request
     * @param wanted what was looked up
     * @param draft what came of that
     * @return its configuration
     * @throws KeeperException with ZooKeeper's code if it is refused
     */
    public EnsembleConfig plan(Request request, Wanted wanted, Draft draft) throws KeeperException {
        EnsembleConfig current = present(request, wanted.record(), false);
        if (draft.servers() == null) {
            throw draft.refusal();
        }
        if (!current.equals(wanted.present())) {
            throw new KeeperException.ReconfigInProgress();
        }
        if (status.get().role() == Role.LOOKING || !mayHaveQuorum(draft.servers(), current)) {
            throw new KeeperException.NewConfigNoQuorum();
        }
        checkAccess(request);
        if (draft.refusal() != null) {
            throw draft.refusal();
        }
        return draft.configuration();
    }

    private EnsembleConfig present(Request request, ReconfigRequest wanted, boolean busy) throws KeeperException {
        if (!server.isReconfigEnabled()) {
            throw new KeeperException.ReconfigDisabledException();
        }
        // The plan of one that is being upgraded is ordered behind that, and refused where its session is not there.
        ReplicatedSessionTracker sessions = (ReplicatedSessionTracker) server.getSessionTracker();
        if (!sessions.isBeingUpgraded(request.sessionId)) {
            sessions.checkSession(request.sessionId, replicaId);
        }
        EnsembleConfig current = state.configuration();
        if (busy || state.plan() != null || current == null) {
            throw new KeeperException.ReconfigInProgress();
        }
        if (wanted.getCurConfigId() != -1 && wanted.getCurConfigId() != current.version()) {
            throw new KeeperException.BadVersionException("reconfig from version " + wanted.getCurConfigId()
                    + " failed -- last seen version is " + current.version());
        }
        return current;
    }

    private void checkAccess(Request request) throws KeeperException {
        try {
            server.checkACL(
                    request.cnxn,
                    server.getZKDatabase().getDataTree().getACL(ZooDefs.CONFIG_NODE, null),
                    ZooDefs.Perms.WRITE,
                    request.authInfo,
                    null,
                    null);
        } catch (KeeperException.NoNodeException e) {
            throw new IllegalStateException(ZooDefs.CONFIG_NODE + " is missing", e);
        }
    }

    /** Servers that are new count: they are awaited, since only a member of a plan is let in. */
    private boolean mayHaveQuorum(QuorumVerifier next, EnsembleConfig current) {
        Set<Long> present = next.getVotingMembers().keySet().stream()
                .filter(id ->
                        id == replicaId || !current.servers().containsKey(id.intValue()) || linked.test(id.intValue()))
                .collect(Collectors.toSet());
        return next.containsQuorum(present);
    }

    private static ReconfigRequest record(Request request) throws KeeperException {
        try {
            return request.readRequestRecord(ReconfigRequest::new);
        } catch (IOException e) {
            throw new KeeperException.MarshallingErrorException();
        }
    }

    private static QuorumVerifier servers(ReconfigRequest wanted, EnsembleConfig current, QuorumVerifier shown)
            throws KeeperException {
        try {
            return wanted.getNewMembers() != null
                    ? fullList(wanted.getNewMembers())
                    : incremental(wanted.getJoiningServers(), wanted.getLeavingServers(), resolved(current, shown));
        } catch (RuntimeException e) {
            // What ZooKeeper's parser does not foresee it answers so: an id that is no number, observers alone.
            throw new KeeperException.MarshallingErrorException();
        }
    }

    /** What ZooKeeper would carry out and this server does not: told only to those who may ask for it. */
    private static EnsembleConfig supported(QuorumVerifier wanted) throws KeeperException {
        EnsembleConfig next;
        try {
            next = EnsembleConfig.of(wanted);
        } catch (IllegalArgumentException e) {
            throw new KeeperException.BadArgumentsException(e.getMessage());
        }
        if (EphemeralType.extendedEphemeralTypesEnabled() && next.servers().containsKey(ID_OF_TTL_NODES)) {
            throw new KeeperException.BadArgumentsException("server id " + ID_OF_TTL_NODES + " belongs to TTL nodes");
        }
        return next;
    }

    private static QuorumVerifier verifier(EnsembleConfig next) throws KeeperException {
        try {
            return next.verifier();
        } catch (IllegalArgumentException e) {
            throw new KeeperException.BadArgumentsException(e.getMessage());
        }
    }

    private static QuorumVerifier fullList(String members) throws KeeperException {
        try {
            Properties lines = new Properties();
            lines.load(new StringReader(members.replace(',', '\n')));
            return QuorumPeerConfig.parseDynamicConfig(lines, 0, true, false, null);
        } catch (IOException | ConfigException e) {
            throw new KeeperException.BadArgumentsException(e.getMessage());
        }
    }

    /** The peer's, unless it lags behind: names of servers that do not resolve must not be asked for each time. */
    private static QuorumVerifier resolved(EnsembleConfig current, QuorumVerifier shown) {
        boolean isCurrent = shown.getVersion() == current.version()
                && EnsembleConfig.of(shown).equals(current);
        return isCurrent ? shown : current.verifier();
    }

    private static QuorumVerifier incremental(String joining, String leaving, QuorumVerifier current)
            throws KeeperException {
        Map<Long, QuorumServer> servers = new TreeMap<>(current.getAllMembers());
        if (leaving != null) {
            for (String id : StringUtils.split(leaving, ",")) {
                servers.remove(Long.parseLong(id));
            }
        }
        if (joining != null) {
            for (String line : StringUtils.split(joining, ",")) {
                QuorumServer joiner = joiner(line);
                for (QuorumServer other : servers.values()) {
                    if (other.id != joiner.id) {
                        joiner.checkAddressDuplicate(other);
                    }
                }
                servers.put(joiner.id, joiner);
            }
        }
        return new QuorumMaj(servers);
    }

    private static QuorumServer joiner(String line) throws KeeperException {
        List<String> parts = StringUtils.split(line, "=");
        if (parts.size() != 2) {
            throw new KeeperException.BadArgumentsException("Wrong format of server string");
        }
        String key = parts.get(0);
        long id = Long.parseLong(key.substring(key.lastIndexOf('.') + 1));
        try {
            QuorumServer joiner = new QuorumServer(id, parts.get(1));
            if (joiner.clientAddr == null || joiner.electionAddr.isEmpty() || joiner.addr.isEmpty()) {
                throw new KeeperException.BadArgumentsException(
                        "Wrong format of server string - each server should have 3 ports specified");
            }
            return joiner;
        } catch (ConfigException e) {
            throw new KeeperException.BadArgumentsException("Reconfiguration failed");
        }
    }

    private static void checkSize(QuorumVerifier next) throws KeeperException {
        int least = QuorumPeerConfig.isStandaloneEnabled() ? 2 : 1;
        if (next.getVotingMembers().size() < least) {
            throw new KeeperException.BadArgumentsException(
                    "Reconfig failed - new configuration must include at least " + least + " followers");
        }
    }
}
