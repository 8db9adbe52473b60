package io.chainkeeper.command;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A decoded command. Immutable. What the proposer decided (its wall clock, the identities, a quota refusal) is part of
 * it, because execution may depend on nothing else.
 */
public sealed interface Command {
    /** @return the proposer's wall clock in milliseconds since 1970 when it proposed */
    long wallClockMillis();

    /**
     * A request as ZooKeeper knows it, from a client or from the server itself (container deletion). Takes one zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param sessionId of the session, 0 for the server's own requests
     * @param cxid the client's number of the request
     * @param opcode ZooKeeper's number of the operation
     * @param authIds identities of the connection; null for requests that have none by nature
     * @param payload the request record's bytes; null if the operation has no record
     * @param quotaRefusedOp index of the first part of a multi that exceeds a quota (0 for a single operation), or
     *     {@link #QUOTA_KEPT}
     * @param localSession whether the proposer alone knows the session: the proposer answers for the session, and no
     *     other replica looks for it
     * @param lackedSchemes flags of schemes that the proposer has no authentication provider for, if an access list of
     *     the request names one, and {@link #NO_TIMES_TO_LIVE}, {@link #KEEPS_CONFIGURATION}; else 0
     * @param access what the proposer's settings say about its client's rights
     */
    record ClientRequest(
            long wallClockMillis,
            long sessionId,
            int cxid,
            int opcode,
            List<AuthId> authIds,
            ByteSlice payload,
            int quotaRefusedOp,
            boolean localSession,
            int lackedSchemes,
            AccessRules access)
            implements Command {
        /** Value of {@link #quotaRefusedOp} if the proposer found no quota exceeded. */
        public static final int QUOTA_KEPT = -1;

        /** Flag among {@link #lackedSchemes}: the proposer's clients may not create znodes with a time to live. */
        public static final int NO_TIMES_TO_LIVE = 1 << 30;

        /** Flag among {@link #lackedSchemes}: the request may not set the data of {@code /zookeeper/config}. */
        public static final int KEEPS_CONFIGURATION = 1 << 29;

        /**
         * A request for which all access lists hold.
         *
         * @param wallClockMillis see {@link ClientRequest}
         * @param sessionId see {@link ClientRequest}
         * @param cxid see {@link ClientRequest}
         * @param opcode see {@link ClientRequest}
         * @param authIds see {@link ClientRequest}
         * @param payload see {@link ClientRequest}
         * @param quotaRefusedOp see {@link ClientRequest}
         * @param localSession see {@link ClientRequest}
         * @param lackedSchemes see {@link ClientRequest}
         */
        public ClientRequest(
                long wallClockMillis,
                long sessionId,
                int cxid,
                int opcode,
                List<AuthId> authIds,
                ByteSlice payload,
                int quotaRefusedOp,
                boolean localSession,
                int lackedSchemes) {
            this(
                    wallClockMillis,
                    sessionId,
                    cxid,
                    opcode,
                    authIds,
                    payload,
                    quotaRefusedOp,
                    localSession,
                    lackedSchemes,
                    AccessRules.ALL_LISTS_HOLD);
        }

        /**
         * A request of a session that all replicas know, without access lists that the proposer could not check.
         *
         * @param wallClockMillis see {@link ClientRequest}
         * @param sessionId see {@link ClientRequest}
         * @param cxid see {@link ClientRequest}
         * @param opcode see {@link ClientRequest}
         * @param authIds see {@link ClientRequest}
         * @param payload see {@link ClientRequest}
         * @param quotaRefusedOp see {@link ClientRequest}
         */
        public ClientRequest(
                long wallClockMillis,
                long sessionId,
                int cxid,
                int opcode,
                List<AuthId> authIds,
                ByteSlice payload,
                int quotaRefusedOp) {
            this(wallClockMillis, sessionId, cxid, opcode, authIds, payload, quotaRefusedOp, false, 0);
        }

        /**
         * @param samePayload equal to the payload of the command
         * @return the same request with these bytes
         */
        ClientRequest with(ByteSlice samePayload) {
            return new ClientRequest(
                    wallClockMillis,
                    sessionId,
                    cxid,
                    opcode,
                    authIds,
                    samePayload,
                    quotaRefusedOp,
                    localSession,
                    lackedSchemes,
                    access);
        }

        /**
         * @param rules instead of those of the command
         * @param lacked instead of the schemes of the command
         * @return the same request under these settings
         */
        public ClientRequest by(AccessRules rules, int lacked) {
            return new ClientRequest(
                    wallClockMillis,
                    sessionId,
                    cxid,
                    opcode,
                    authIds,
                    payload,
                    quotaRefusedOp,
                    localSession,
                    lacked,
                    rules);
        }
    }

    /**
     * A client has connected to the proposer and wants to continue its session there. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param sessionId the session
     * @param timeoutMillis the timeout negotiated with the new connection
     */
    record Attach(long wallClockMillis, long sessionId, int timeoutMillis) implements Command {}

    /**
     * No replica has heard of a session for its timeout. Closes the session, and takes a zxid, only if owner and epoch
     * are still the given ones.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param sessionId the session
     * @param owner replica that owned it, or {@link #NO_OWNER}
     * @param epoch attach epoch of the session
     */
    record Expire(long wallClockMillis, long sessionId, int owner, long epoch) implements Command {
        /** The owner of a session that no replica owns. */
        public static final int NO_OWNER = -1;
    }

    /**
     * The leader no longer hears a replica: its sessions become ownerless. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param replica replica id
     * @param incarnation sessions of this and earlier incarnations are meant
     */
    record Orphan(long wallClockMillis, int replica, long incarnation) implements Command {}

    /**
     * The proposer's first command after a start: sessions of its earlier incarnations become ownerless. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param executionProfile the number that says the proposer's settings
     * @param former what the proposer's directory held before; null if it took part in forming the cluster
     * @param goesWithout replicas that the cluster may be formed without, by the user's decision, ascending
     * @param maxTransactionBytes the longest transaction that the proposer can read back from its log; 0 from releases
     *     that did not tell
     * @param schemes the schemes that the proposer knows besides those of ZooKeeper, with the class of the provider;
     *     null from releases whose replicas all had the same
     * @param release name of the proposer's release; null from releases before there were feature levels
     * @param levels the feature levels that the proposer's release knows; null likewise
     */
    record ReplicaStarted(
            long wallClockMillis,
            long executionProfile,
            ImportedState former,
            List<Integer> goesWithout,
            long maxTransactionBytes,
            SortedMap<String, String> schemes,
            String release,
            FeatureRange levels)
            implements Command {
        /** Copies list and map. */
        public ReplicaStarted {
            goesWithout = List.copyOf(goesWithout);
            schemes = schemes == null ? null : Collections.unmodifiableSortedMap(new TreeMap<>(schemes));
        }

        /**
         * The command of a release before there were feature levels.
         *
         * @param wallClockMillis see {@link ReplicaStarted}
         * @param executionProfile see {@link ReplicaStarted}
         * @param former see {@link ReplicaStarted}
         * @param goesWithout see {@link ReplicaStarted}
         * @param maxTransactionBytes see {@link ReplicaStarted}
         * @param schemes see {@link ReplicaStarted}
         */
        public ReplicaStarted(
                long wallClockMillis,
                long executionProfile,
                ImportedState former,
                List<Integer> goesWithout,
                long maxTransactionBytes,
                SortedMap<String, String> schemes) {
            this(wallClockMillis, executionProfile, former, goesWithout, maxTransactionBytes, schemes, null, null);
        }

        /**
         * The command of a release whose replicas all had the same schemes.
         *
         * @param wallClockMillis see {@link ReplicaStarted}
         * @param executionProfile see {@link ReplicaStarted}
         * @param former see {@link ReplicaStarted}
         * @param goesWithout see {@link ReplicaStarted}
         * @param maxTransactionBytes see {@link ReplicaStarted}
         */
        public ReplicaStarted(
                long wallClockMillis,
                long executionProfile,
                ImportedState former,
                List<Integer> goesWithout,
                long maxTransactionBytes) {
            this(wallClockMillis, executionProfile, former, goesWithout, maxTransactionBytes, null);
        }
    }

    /**
     * Names an ensemble that has no name, or replaces its name; ignored if neither applies. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param clusterId random
     * @param executionProfile hash of the settings that influence execution, which every member must share
     * @param members replica ids, ascending
     * @param configuration first content of {@code /zookeeper/config}; empty if the proposer has no
     *     {@code reconfigEnabled}
     * @param replaces the present name, if the user has forced a new cluster after the quorum was lost; else null
     * @param origin the state that all members begin with, held by at least one of them; null if they have one already
     * @param level the feature level that the cluster begins with; of no meaning if a name is replaced
     */
    record ClusterFormed(
            long wallClockMillis,
            UUID clusterId,
            long executionProfile,
            List<Integer> members,
            String configuration,
            UUID replaces,
            ImportedState origin,
            FeatureLevel level)
            implements Command {
        /** Copies the members. */
        public ClusterFormed {
            members = List.copyOf(members);
        }

        /**
         * A cluster of the first feature level.
         *
         * @param wallClockMillis see {@link ClusterFormed}
         * @param clusterId see {@link ClusterFormed}
         * @param executionProfile see {@link ClusterFormed}
         * @param members see {@link ClusterFormed}
         * @param configuration see {@link ClusterFormed}
         * @param replaces see {@link ClusterFormed}
         * @param origin see {@link ClusterFormed}
         */
        public ClusterFormed(
                long wallClockMillis,
                UUID clusterId,
                long executionProfile,
                List<Integer> members,
                String configuration,
                UUID replaces,
                ImportedState origin) {
            this(
                    wallClockMillis,
                    clusterId,
                    executionProfile,
                    members,
                    configuration,
                    replaces,
                    origin,
                    FeatureLevel.FIRST);
        }
    }

    /**
     * A higher feature level is to be in force from here on. Ignored if it is not higher, or one of the members has not
     * said that it knows it. Takes no zxid. Its format stays the same in all releases, so that each can say which
     * release is needed.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param level the level
     * @param members ids of the replicas that have to know it, ascending
     */
    record RaiseFeatureLevel(long wallClockMillis, FeatureLevel level, List<Integer> members) implements Command {
        /** Copies the members. */
        public RaiseFeatureLevel {
            members = List.copyOf(members);
        }
    }

    /**
     * Every replica is to take a digest of its state right here in the order. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     */
    record DigestAudit(long wallClockMillis) implements Command {}

    /**
     * The digest that the proposer took for an audit. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param auditPosition position of the order that the audit was executed at
     * @param treeDigest of the proposer's tree, as ZooKeeper keeps it
     * @param sideDigest of the proposer's replicated state beside the tree
     */
    record DigestReport(long wallClockMillis, long auditPosition, long treeDigest, long sideDigest)
            implements Command {}

    /**
     * The proposer has accepted a {@code reconfig}: the order is to bring its members into line. Refused, without a
     * trace, if another plan stands, the configuration has changed or the proposer does not own the session. Takes no
     * zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param sessionId the client's session
     * @param cxid the client's number of the request
     * @param configuration the planned servers, under the version of the configuration that they are to replace
     */
    record PlanEnsemble(long wallClockMillis, long sessionId, int cxid, String configuration) implements Command {}

    /**
     * From here on the configuration is replicated. Ignored if it is already, or none of its servers has
     * {@code reconfigEnabled}. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param configuration what the proposer, the leader, has in force
     */
    record ReplicateConfiguration(long wallClockMillis, String configuration) implements Command {}

    /**
     * The proposer gives up its plan: the ensemble is configured back. Ignored if that plan does not stand. Takes no
     * zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param sessionId the client's session
     * @param cxid the client's number of the request
     */
    record DropPlan(long wallClockMillis, long sessionId, int cxid) implements Command {}

    /**
     * The proposer sees state being transferred, so a plan that waits for a joiner is not stuck. Changes nothing. Takes
     * no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     * @param sessionId the client's session
     * @param cxid the client's number of the request
     */
    record PlanProgress(long wallClockMillis, long sessionId, int cxid) implements Command {}

    /**
     * Changes nothing: a proposer that sees its no-op come back knows that commands are ordered. Takes no zxid.
     *
     * @param wallClockMillis see {@link Command#wallClockMillis}
     */
    record NoOp(long wallClockMillis) implements Command {}
}
