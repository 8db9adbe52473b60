package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.bootstrap.DrivenServer;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsembleConfig.Server;
import io.chainkeeper.simulation.order.ConfigurationEvidence;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.ReconfigRequest;

/**
 * What clients ask of {@code /zookeeper/config}. The order says which configurations there were one after the other, so
 * linearizability needs no search: nobody sees one older than anybody had seen when it was asked for, and a request
 * makes what it asks for of the one before.
 */
final class ConfigurationOperations {
    /** A request from whatever configuration there is. */
    static final long ANY_VERSION = -1;

    private static final int CLIENT_PORT = 2181;
    private static final int LEAST_PARTICIPANTS = 2;

    private final ConfigurationEvidence evidence;
    private final boolean areReadsLinearizable;
    private int newestSeen;

    /**
     * @param evidence what the order makes of the configuration
     * @param areReadsLinearizable whether nobody reads an older one than anybody had seen
     */
    ConfigurationOperations(ConfigurationEvidence evidence, boolean areReadsLinearizable) {
        this.evidence = evidence;
        this.areReadsLinearizable = areReadsLinearizable;
    }

    /** The version of a configuration, mostly of the newest. */
    long anyVersion(SplittableRandom random) {
        int back = random.nextInt(4) == 0 ? random.nextInt(evidence.count()) : 0;
        return evidence.get(evidence.count() - 1 - back).version();
    }

    // ---------------------------------------------------------------- reads

    void read(ZnodeClient client, boolean watch) {
        int seenBefore = areReadsLinearizable ? newestSeen : 0;
        ZnodeClient.ReplyHandler handler = new Handler() {
            @Override
            public void replied(int xid, int error, Record body) {
                if (error == 0) {
                    GetDataResponse response = (GetDataResponse) body;
                    int number = seen(response.getData(), seenBefore);
                    long mzxid = response.getStat().getMzxid();
                    client.session().watches().dataSeen(ZooDefs.CONFIG_NODE, mzxid, watch);
                    InvariantViolated.check(
                            number == 0 || mzxid == evidence.get(number).version(),
                            "configuration %s has the zxid 0x%x",
                            evidence.get(number).text(),
                            mzxid);
                } else {
                    allow(error, Code.SESSIONEXPIRED, Code.SESSIONMOVED);
                }
            }
        };
        client.request(OpCode.getData, new GetDataRequest(ZooDefs.CONFIG_NODE, watch), false, handler);
    }

    private int seen(byte[] data, int seenBefore) {
        int number = evidence.numberOf(new String(data, StandardCharsets.UTF_8));
        InvariantViolated.check(
                number >= seenBefore,
                "a client sees configuration %d although configuration %d had been seen when it asked",
                number,
                seenBefore);
        newestSeen = Math.max(newestSeen, number);
        return number;
    }

    /** Nobody waits for the answer. */
    private interface Handler extends ZnodeClient.ReplyHandler {
        @Override
        default void lost(int xid) {
            // Whatever has become of it, the order tells.
        }
    }

    private static void allow(int error, Code... allowed) {
        Code code = KeeperException.Code.get(error);
        InvariantViolated.check(
                List.of(allowed).contains(code), "an operation on %s failed with %s", ZooDefs.CONFIG_NODE, code);
    }

    // ---------------------------------------------------------------- changes

    /**
     * Asks for another ensemble.
     *
     * @param client who asks; only an administrator may succeed
     * @param next the ensemble
     * @param incremental whether to name those who come and go instead of all
     * @param fromVersion the only configuration that is to be replaced, or {@link #ANY_VERSION}
     * @param ended told how it has ended; with {@link Code#CONNECTIONLOSS} the order tells
     */
    void change(ZnodeClient client, Ensemble next, boolean incremental, long fromVersion, Consumer<Code> ended) {
        SortedMap<Integer, Server> before = evidence.newest().servers();
        SortedMap<Integer, Server> wanted = servers(next, before);
        SortedMap<Integer, Server> joining = new TreeMap<>(wanted);
        joining.entrySet().removeIf(each -> each.getValue().equals(before.get(each.getKey())));
        List<Integer> leaving = new ArrayList<>(before.keySet());
        leaving.removeAll(wanted.keySet());
        Asked asked = new Asked(client, wanted, incremental ? joining : null, leaving, fromVersion, ended);
        ReconfigRequest request = incremental
                ? new ReconfigRequest(lines(joining), ids(leaving), null, fromVersion)
                : new ReconfigRequest(null, null, lines(wanted), fromVersion);
        // It may be refused without ever being ordered, unlike other writes.
        client.request(OpCode.reconfig, request, false, asked);
    }

    /** Who stays in the same part keeps its line. */
    private static SortedMap<Integer, Server> servers(Ensemble next, SortedMap<Integer, Server> before) {
        SortedMap<Integer, Server> servers = new TreeMap<>();
        DrivenServer.configuration(next).servers().forEach((id, fresh) -> {
            Server known = before.get(id);
            boolean stays = known != null && known.observer() == fresh.observer();
            Server joining = new Server(
                    fresh.host(),
                    fresh.quorumPort(),
                    fresh.electionPort(),
                    fresh.observer(),
                    fresh.host(),
                    CLIENT_PORT);
            servers.put(id, stays ? known : joining);
        });
        return servers;
    }

    private static String lines(SortedMap<Integer, Server> servers) {
        List<String> lines = new ArrayList<>();
        servers.forEach((id, server) -> lines.add("server." + id + "=" + server.text()));
        return lines.isEmpty() ? null : String.join(",", lines);
    }

    private static String ids(List<Integer> ids) {
        return ids.isEmpty()
                ? null
                : String.join(",", ids.stream().map(String::valueOf).toList());
    }

    /** One request. */
    private final class Asked implements Handler {
        private final long sessionId;
        private final boolean isAllowed;
        private final SortedMap<Integer, Server> all;
        private final SortedMap<Integer, Server> joining;
        private final List<Integer> leaving;
        private final long fromVersion;
        private final Consumer<Code> ended;
        private final int seenBefore = newestSeen;

        Asked(
                ZnodeClient client,
                SortedMap<Integer, Server> all,
                SortedMap<Integer, Server> joining,
                List<Integer> leaving,
                long fromVersion,
                Consumer<Code> ended) {
            this.sessionId = client.session().id();
            this.isAllowed = client.isAdministrator();
            this.all = all;
            this.joining = joining;
            this.leaving = leaving;
            this.fromVersion = fromVersion;
            this.ended = ended;
        }

        @Override
        public void replied(int xid, int error, Record body) {
            if (error == 0) {
                changed(xid, seen(((GetDataResponse) body).getData(), seenBefore));
            } else {
                refused(error);
            }
            ended.accept(Code.get(error));
        }

        @Override
        public void lost(int xid) {
            ended.accept(Code.CONNECTIONLOSS);
        }

        private void refused(int error) {
            Code code = Code.get(error);
            if (code == Code.BADVERSION) {
                checkOtherVersion();
            } else if (code == Code.BADARGUMENTS || code == Code.MARSHALLINGERROR && joining == null) {
                // The latter, as ZooKeeper does, for a list of one participant and observers.
                InvariantViolated.check(mayBeTooFew(), "a reconfig to %s was refused with %s", all, code);
            } else if (code == Code.NOAUTH) {
                InvariantViolated.check(!isAllowed, "an administrator's reconfig was refused with %s", code);
            } else {
                allow(error, Code.RECONFIGINPROGRESS, Code.NEWCONFIGNOQUORUM, Code.SESSIONEXPIRED, Code.SESSIONMOVED);
            }
        }

        private void changed(int xid, int number) {
            InvariantViolated.check(isAllowed, "session 0x%x may not change the ensemble, and has", sessionId);
            InvariantViolated.check(
                    number > 0 && evidence.isOf(number, sessionId, xid),
                    "the reconfig %d of session 0x%x is answered with configuration %d, which it has not made",
                    xid,
                    sessionId,
                    number);
            EnsembleConfig before = evidence.get(number - 1);
            SortedMap<Integer, Server> expected = new TreeMap<>(joining == null ? all : before.servers());
            if (joining != null) {
                leaving.forEach(expected::remove);
                expected.putAll(joining);
            }
            InvariantViolated.check(
                    evidence.get(number).servers().equals(expected)
                            && (fromVersion == ANY_VERSION || fromVersion == before.version()),
                    "a reconfig from version 0x%x to %s has made %s of %s",
                    fromVersion,
                    expected,
                    evidence.get(number).text(),
                    before.text());
        }

        /** At some time between request and answer another configuration must have been in force. */
        private void checkOtherVersion() {
            boolean other = false;
            for (int number = seenBefore; number < evidence.count(); number++) {
                other |= evidence.get(number).version() != fromVersion;
            }
            InvariantViolated.check(
                    other && fromVersion != ANY_VERSION,
                    "a reconfig from version 0x%x was refused although no other was in force",
                    fromVersion);
        }

        private boolean mayBeTooFew() {
            return joining != null && fromVersion == ANY_VERSION
                    || all.values().stream()
                                    .filter(server -> !server.observer())
                                    .count()
                            < LEAST_PARTICIPANTS;
        }
    }
}
