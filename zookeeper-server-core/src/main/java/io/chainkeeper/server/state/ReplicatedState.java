package io.chainkeeper.server.state;

import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.RuleSwitches;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.guard.TransactionLimit;
import io.chainkeeper.server.session.SessionIds;
import io.chainkeeper.server.session.SessionTable;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;

/**
 * The replicated state that ZooKeeper's own files do not hold. Equal on every replica at the same position. Changed by
 * the apply thread only; the session table, the cluster id, the agreed time and the incarnations may be read by any
 * thread.
 */
public final class ReplicatedState {
    private static final int FIXED_BYTES = 16 + 1 + 16 + 8 + 4 + 8 + 4 + 4;
    private static final int PLAN_BYTES = 24;
    private static final int FORMED = 1;

    /** Absent in checkpoints of releases whose replicas did not say how long transactions may be. */
    private static final int HAS_LIMITS = 2;

    /** Absent in checkpoints of releases whose replicas all had the same {@code reconfigEnabled}. */
    private static final int HAS_SETTINGS = 4;

    /** Absent in checkpoints of releases whose replicas all had the same providers. */
    private static final int HAS_SCHEMES = 8;

    /** Absent in checkpoints of releases before there were feature levels. */
    private static final int HAS_LEVEL = 16;

    private final SessionTable sessions;
    private final StartReports starts;
    private final SchemeReports schemes;
    private final FeatureState features;
    private volatile SortedMap<String, String> agreedSchemes;
    private volatile long agreedTransactionBytes = Long.MAX_VALUE;
    private DigestTally digestTally = new DigestTally();
    private ImportedStates importedStates = new ImportedStates();
    private volatile UUID clusterId;
    private volatile Membership membership;
    private volatile EnsembleConfig configuration;
    private volatile EnsemblePlan plan;
    private long reconfigZxid;
    private long executionProfile;
    private long zxid;
    private volatile long agreedTimeMillis;
    private volatile RuleSwitches rules = RuleSwitches.ALL_ON;

    private ReplicatedState(SessionTable sessions, StartReports starts, SchemeReports schemes, FeatureState features) {
        this.sessions = sessions;
        this.starts = starts;
        this.schemes = schemes;
        this.features = features;
    }

    /**
     * The state before the first command.
     *
     * @param zxid last transaction that the tree holds already, 0 for an empty one
     * @return the state
     */
    public static ReplicatedState initial(long zxid) {
        ReplicatedState state =
                new ReplicatedState(new SessionTable(), new StartReports(), new SchemeReports(), new FeatureState());
        state.zxid = zxid;
        return state;
    }

    /**
     * Takes a rule out; only the simulator does.
     *
     * @param rule that is not followed from now on
     */
    public void doWithout(ReconfigRule rule) {
        rules = RuleSwitches.without(rule);
    }

    /**
     * @param rule asked for
     * @return whether it is followed, as all are in every server; any thread
     */
    public boolean follows(ReconfigRule rule) {
        return rules.isOn(rule);
    }

    /** @return the feature level, and what the replicas run */
    public FeatureState features() {
        return features;
    }

    /** @return all sessions */
    public SessionTable sessions() {
        return sessions;
    }

    /** @return the zxid of the last command that took one */
    public long zxid() {
        return zxid;
    }

    /** @return the zxid that the next command that takes one will get */
    public long nextZxid() {
        return Zxids.next(zxid);
    }

    /** @param taken the zxid that the command being executed takes */
    public void tookZxid(long taken) {
        zxid = taken;
    }

    /**
     * Moves the agreed time on; it never runs backwards.
     *
     * @param wallClockMillis the proposer's clock
     * @return the agreed time of the command
     */
    public long advanceTime(long wallClockMillis) {
        agreedTimeMillis = Math.max(agreedTimeMillis, wallClockMillis);
        return agreedTimeMillis;
    }

    /**
     * Creates a session, and moves the agreed time on to what stands in its id: no later start gives it out again.
     *
     * @return false if there is one with this id already; it is left as it was
     */
    public boolean createSession(long sessionId, int timeoutMillis, int owner, long incarnation) {
        advanceTime(agreedTimeMillis + SessionIds.aheadMillis(sessionId, agreedTimeMillis));
        return sessions.create(sessionId, timeoutMillis, owner, incarnation);
    }

    /** @return the agreed time of the last command, in milliseconds since 1970; may be asked by any thread */
    public long agreedTimeMillis() {
        return agreedTimeMillis;
    }

    /** @return the cluster's id, null until it has been formed */
    public UUID clusterId() {
        return clusterId;
    }

    /** @return hash of the settings that all members share; 0 until the cluster has been formed */
    public long executionProfile() {
        return executionProfile;
    }

    /**
     * @param profile hash of a replica's settings
     * @return whether the replica executes what is ordered as all members do
     */
    public boolean mayBeExecutedWith(long profile) {
        return clusterId == null || ExecutionProfile.isOf(executionProfile, profile);
    }

    /**
     * The cluster is formed, or formed anew.
     *
     * @param newClusterId its name
     * @param profile the number of the settings that it is formed with
     * @param level the feature level that it begins with; null if it goes on with the one that it has
     */
    public void formed(UUID newClusterId, long profile, FeatureLevel level) {
        executionProfile = profile;
        if (level != null) {
            features.formed(level);
        }
        clusterId = newClusterId;
    }

    /**
     * @param replica replica id
     * @return its newest incarnation that has said that it started, {@link Long#MIN_VALUE} if none has
     */
    public long incarnationOf(int replica) {
        return starts.incarnationOf(replica);
    }

    /**
     * A replica has started.
     *
     * @param replica replica id
     * @param incarnation of this start
     * @param maxTransactionBytes the longest transaction that it can read back; less than ZooKeeper permits says
     *     nothing
     */
    public void started(int replica, long incarnation, long maxTransactionBytes) {
        advanceTime(agreedTimeMillis + 1); // so that no two starts have the same
        starts.started(replica, incarnation, agreedTimeMillis);
        if (maxTransactionBytes >= TransactionLimit.LEAST_EXTRA_BYTES) {
            starts.readsTransactionsUpTo(replica, maxTransactionBytes);
        }
        agreeOnTransactionBytes();
    }

    /**
     * A replica says with its start which settings it has.
     *
     * @param replica replica id
     * @param number see {@link SharedSettings}; that of an earlier release says nothing
     */
    public void said(int replica, long number) {
        if (SharedSettings.saysReconfig(number)) {
            starts.hasSettings(replica, number);
        }
    }

    /**
     * A replica says with its start which schemes it knows besides those of ZooKeeper.
     *
     * @param replica replica id
     * @param number see {@link #said}
     * @param known class of the provider by scheme; null from releases whose replicas did not say so
     */
    public void knows(int replica, long number, Map<String, String> known) {
        if (known != null) {
            executionProfile = SharedSettings.withProviders(executionProfile, number);
            schemes.report(replica, known);
            agreeOnSchemes();
        }
    }

    private void agreeOnSchemes() {
        EnsembleConfig current = configuration;
        agreedSchemes =
                schemes.agreed(replica -> current == null || current.servers().containsKey(replica));
    }

    /**
     * The schemes besides those of ZooKeeper that count in what is executed next: all replicas have said that they know
     * them. Identities of others give no rights, and no access list may name them. Any thread.
     *
     * @return class of the provider by scheme; null if no replica has said what it knows, so that all have the same
     */
    public SortedMap<String, String> agreedSchemes() {
        return agreedSchemes;
    }

    /**
     * Any thread.
     *
     * @param proposed a configuration
     * @return whether it is to be replicated: none is, one of its servers has said that it takes {@code reconfig}, and
     *     it leaves no member out
     */
    public boolean mayReplicate(EnsembleConfig proposed) {
        return clusterId != null
                && configuration == null
                && proposed.contains(membership, starts.replicas())
                && starts.anyEnablesReconfig(proposed.servers().keySet());
    }

    /** Whether the configuration is replicated although all of its servers have said that they take no reconfig. */
    public boolean replicatesInVain() {
        return configuration != null
                && starts.allDisableReconfig(configuration.servers().keySet());
    }

    /**
     * Any thread.
     *
     * @return the agreed time of the last start that has been executed since this replica's own, in milliseconds since
     *     1970; 0 before it
     */
    public long lastStartMillis() {
        return starts.lastStartMillis();
    }

    private void agreeOnTransactionBytes() {
        // Who has been removed reads nothing back any more; who is to be added counts from then on.
        agreedTransactionBytes = starts.leastTransactionBytes(
                replica -> configuration == null || configuration.servers().containsKey(replica));
    }

    /**
     * The longest transaction that every replica can read back from its log: the least that any of them has said at its
     * start. Only the admission of new requests depends on it; what is ordered is executed. Any thread.
     *
     * @return bytes, {@link Long#MAX_VALUE} if none has said anything
     */
    public long agreedTransactionBytes() {
        return agreedTransactionBytes;
    }

    /**
     * @param replica a replica that starts now
     * @param wallClockMillis its clock, which counts until its start has been executed here
     * @return what chooses the ids of its sessions, on any thread
     */
    public SessionIds sessionIds(int replica, long wallClockMillis) {
        long provisional = Math.max(wallClockMillis, agreedTimeMillis);
        return new SessionIds(
                replica, () -> starts.startMillis(replica, provisional), this::agreedTimeMillis, sessions);
    }

    /** @return who votes after the last position; null while the order has not changed the initial membership */
    public Membership membership() {
        return membership;
    }

    /**
     * A position holds a membership. Apply thread.
     *
     * @param changed in force from the next position on
     */
    public void membershipChanged(Membership changed) {
        membership = changed;
    }

    /** @return what the replicas' directories held before there was an order */
    public ImportedStates importedStates() {
        return importedStates;
    }

    /** @return what was reported for the newest audit */
    public DigestTally digestTally() {
        return digestTally;
    }

    /** @return position of the newest audit of digests, 0 before the first; may be asked by any thread */
    public long auditPosition() {
        return digestTally.position();
    }

    /** @return the replicated configuration; null until there is a cluster, and while no server takes reconfig */
    public EnsembleConfig configuration() {
        return configuration;
    }

    /** @return zxid of the last executed {@code reconfig}; 0 while the configuration is the first one */
    public long reconfigZxid() {
        return reconfigZxid;
    }

    /** @return the change of the ensemble that is under way, null if none is */
    public EnsemblePlan plan() {
        return plan;
    }

    /** @param newPlan stands from now on */
    public void planned(EnsemblePlan newPlan) {
        plan = newPlan;
    }

    /** No plan stands any more. */
    public void dropPlan() {
        plan = null;
    }

    /**
     * @param changed the configuration in force, null if none is replicated any more
     * @param zxidOfChange that of the {@code reconfig}, 0 if there was none
     */
    public void configured(EnsembleConfig changed, long zxidOfChange) {
        configuration = changed;
        reconfigZxid = zxidOfChange;
        agreeOnTransactionBytes();
        agreeOnSchemes();
    }

    /** @return the state's bytes, the same on every replica at the same position */
    public ByteSlice encode() {
        ByteSlice table = sessions.encode();
        ByteSlice members = membership == null ? ByteSlice.EMPTY : membership.encode();
        byte[] servers = bytes(configuration);
        byte[] planned = bytes(plan == null ? null : plan.configuration());
        byte[] known = schemes.isEmpty() ? new byte[0] : schemes.encode();
        ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES
                + starts.encodedBytes()
                + known.length
                + features.encodedBytes()
                + members.length()
                + servers.length
                + planned.length
                + (plan == null ? 0 : PLAN_BYTES)
                + digestTally.encodedBytes()
                + importedStates.encodedBytes()
                + table.length());
        out.putLong(zxid).putLong(agreedTimeMillis);
        out.put((byte) ((clusterId == null ? 0 : FORMED)
                | (starts.sayTransactionBytes() ? HAS_LIMITS : 0)
                | (starts.saySettings() ? HAS_SETTINGS : 0)
                | (schemes.isEmpty() ? 0 : HAS_SCHEMES)
                | HAS_LEVEL));
        out.putLong(clusterId == null ? 0 : clusterId.getMostSignificantBits());
        out.putLong(clusterId == null ? 0 : clusterId.getLeastSignificantBits());
        out.putLong(executionProfile);
        starts.put(out);
        out.put(known);
        features.put(out);
        out.putInt(members.length()).put(members.array(), members.offset(), members.length());
        out.putLong(reconfigZxid).putInt(servers.length).put(servers);
        out.putInt(planned.length).put(planned);
        if (plan != null) {
            out.putInt(plan.proposer()).putLong(plan.incarnation());
            out.putLong(plan.sessionId()).putInt(plan.cxid());
        }
        digestTally.put(out);
        importedStates.put(out);
        out.put(table.array(), table.offset(), table.length());
        return ByteSlice.of(out.array());
    }

    private static byte[] bytes(EnsembleConfig servers) {
        return servers == null ? new byte[0] : servers.text().getBytes(StandardCharsets.UTF_8);
    }

    private static EnsembleConfig configuration(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] text = new byte[length];
        in.get(text);
        return length == 0 ? null : EnsembleConfig.parse(new String(text, StandardCharsets.UTF_8));
    }

    private static EnsemblePlan plan(ByteBuffer in) {
        EnsembleConfig planned = configuration(in);
        return planned == null ? null : new EnsemblePlan(in.getInt(), in.getLong(), in.getLong(), in.getInt(), planned);
    }

    /**
     * Reads back what {@link #encode} wrote.
     *
     * @param bytes the state's bytes
     * @return the state
     * @throws MalformedMessageException if they are anything else
     */
    public static ReplicatedState decode(ByteSlice bytes) throws MalformedMessageException {
        ByteBuffer in = bytes.asByteBuffer();
        try {
            long zxid = in.getLong();
            long agreedTimeMillis = in.getLong();
            int flags = in.get();
            UUID clusterId = new UUID(in.getLong(), in.getLong());
            long profile = in.getLong();
            StartReports starts = StartReports.get(in, (flags & HAS_LIMITS) != 0, (flags & HAS_SETTINGS) != 0);
            SchemeReports schemes = new SchemeReports();
            if ((flags & HAS_SCHEMES) != 0) {
                schemes.read(in);
            }
            FeatureState features = (flags & HAS_LEVEL) != 0 ? FeatureState.get(in) : new FeatureState();
            int memberBytes = in.getInt();
            Membership membership =
                    memberBytes == 0 ? null : Membership.decode(bytes.slice(in.position(), memberBytes));
            in.position(in.position() + memberBytes);
            long reconfigZxid = in.getLong();
            EnsembleConfig configuration = configuration(in);
            EnsemblePlan plan = plan(in);
            DigestTally tally = DigestTally.get(in);
            ImportedStates imported = ImportedStates.get(in);
            SessionTable table = SessionTable.decode(bytes.slice(in.position(), in.remaining()));
            if ((flags & HAS_LEVEL) == 0 && (flags & FORMED) != 0) {
                features.formed(FeatureLevel.FIRST);
            }
            ReplicatedState state = new ReplicatedState(table, starts, schemes, features);
            state.zxid = zxid;
            state.membership = membership;
            state.configured(configuration, reconfigZxid);
            state.plan = plan;
            state.digestTally = tally;
            state.importedStates = imported;
            state.agreedTimeMillis = agreedTimeMillis;
            state.executionProfile = profile;
            state.clusterId = (flags & FORMED) == 0 ? null : clusterId;
            return state;
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MalformedMessageException("side state of " + bytes.length() + " bytes is cut short");
        }
    }
}
