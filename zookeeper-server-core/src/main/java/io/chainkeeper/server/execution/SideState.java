package io.chainkeeper.server.execution;

import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.server.reconfig.EnsembleConfiguration;
import io.chainkeeper.server.reconfig.EnsemblePlan;
import io.chainkeeper.server.session.SessionIds;
import io.chainkeeper.server.session.SessionTable;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The replicated state that ZooKeeper's own files do not hold. Equal on every replica at the same position. Changed by
 * the executor thread only; the session table, the cluster id, the agreed time and the incarnations may be read by any
 * thread.
 */
public final class SideState {
    private static final int FIXED_BYTES = 16 + 1 + 16 + 8 + 4 + 4 + 8 + 4 + 4;
    private static final int PLAN_BYTES = 24;
    private static final int FORMED = 1;

    /** Absent in checkpoints of releases whose replicas did not say how long transactions may be. */
    private static final int HAS_LIMITS = 2;

    /** Absent in checkpoints of releases whose replicas all had the same {@code reconfigEnabled}. */
    private static final int HAS_SETTINGS = 4;

    /** Absent in checkpoints of releases whose replicas all had the same providers. */
    private static final int HAS_SCHEMES = 8;

    private final SessionTable sessions;
    private final Map<Integer, Long> incarnations;

    /** Guarded by incarnations; no part of what replicas have in common. */
    private final Map<Integer, Long> startsMillis = new TreeMap<>();

    /** Guarded by incarnations. Of each replica that has said so, the longest transaction that it can read back. */
    private final Map<Integer, Long> transactionBytes = new TreeMap<>();

    /** Guarded by incarnations. Of each replica that has said so, the number of its settings. */
    private final Map<Integer, Long> settings = new TreeMap<>();

    private final SchemeReports schemes;
    private volatile SortedMap<String, String> agreedSchemes;
    private volatile long agreedTransactionBytes = Long.MAX_VALUE;
    private DigestTally digestTally = new DigestTally();
    private FormerStates formerStates = new FormerStates();
    private volatile UUID clusterId;
    private volatile Membership membership;
    private volatile EnsembleConfiguration configuration;
    private volatile EnsemblePlan plan;
    private long reconfigZxid;
    private long executionProfile;
    private long zxid;
    private volatile long agreedTimeMillis;

    private SideState(SessionTable sessions, Map<Integer, Long> incarnations, SchemeReports schemes) {
        this.sessions = sessions;
        this.schemes = schemes;
        this.incarnations = incarnations;
    }

    /**
     * The state before the first command.
     *
     * @param zxid last transaction that the tree holds already, 0 for an empty one
     * @return the state
     */
    public static SideState initial(long zxid) {
        SideState state = new SideState(new SessionTable(), new TreeMap<>(), new SchemeReports());
        state.zxid = zxid;
        return state;
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

    void tookZxid(long taken) {
        zxid = taken;
    }

    /**
     * Moves the agreed time on; it never runs backwards.
     *
     * @param wallClockMillis the proposer's clock
     * @return the agreed time of the command
     */
    long advanceTime(long wallClockMillis) {
        agreedTimeMillis = Math.max(agreedTimeMillis, wallClockMillis);
        return agreedTimeMillis;
    }

    /**
     * Creates a session, and moves the agreed time on to what stands in its id: no later start gives it out again.
     *
     * @return false if there is one with this id already; it is left as it was
     */
    boolean createSession(long sessionId, int timeoutMillis, int owner, long incarnation) {
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

    void formed(UUID newClusterId, long profile) {
        executionProfile = profile;
        clusterId = newClusterId;
    }

    /**
     * @param replica replica id
     * @return its newest incarnation that has said that it started, {@link Long#MIN_VALUE} if none has
     */
    public long incarnationOf(int replica) {
        synchronized (incarnations) {
            return incarnations.getOrDefault(replica, Long.MIN_VALUE);
        }
    }

    void started(int replica, long incarnation, long maxTransactionBytes) {
        advanceTime(agreedTimeMillis + 1); // so that no two starts have the same
        synchronized (incarnations) {
            incarnations.put(replica, incarnation);
            startsMillis.put(replica, agreedTimeMillis);
            if (maxTransactionBytes >= TransactionLimit.LEAST_EXTRA_BYTES) {
                transactionBytes.put(replica, maxTransactionBytes);
            }
        }
        agreeOnTransactionBytes();
    }

    /**
     * A replica says with its start which settings it has.
     *
     * @param replica replica id
     * @param number see {@link SharedSettings}; that of an earlier release says nothing
     */
    void said(int replica, long number) {
        if (SharedSettings.saysReconfig(number)) {
            synchronized (incarnations) {
                settings.put(replica, number);
            }
        }
    }

    /**
     * A replica says with its start which schemes it knows besides those of ZooKeeper.
     *
     * @param replica replica id
     * @param number see {@link #said}
     * @param known class of the provider by scheme; null from releases whose replicas did not say so
     */
    void knows(int replica, long number, Map<String, String> known) {
        if (known != null) {
            executionProfile = SharedSettings.withProviders(executionProfile, number);
            schemes.report(replica, known);
            agreeOnSchemes();
        }
    }

    private void agreeOnSchemes() {
        EnsembleConfiguration current = configuration;
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
    public boolean mayReplicate(EnsembleConfiguration proposed) {
        synchronized (incarnations) {
            return clusterId != null
                    && configuration == null
                    && proposed.contains(membership, incarnations.keySet())
                    && proposed.servers().keySet().stream()
                            .map(settings::get)
                            .anyMatch(number -> number != null && SharedSettings.enablesReconfig(number));
        }
    }

    /** Whether the configuration is replicated although all of its servers have said that they take no reconfig. */
    boolean replicatesInVain() {
        synchronized (incarnations) {
            return configuration != null
                    && configuration.servers().keySet().stream()
                            .map(settings::get)
                            .allMatch(number -> number != null && !SharedSettings.enablesReconfig(number));
        }
    }

    /**
     * Any thread.
     *
     * @return the agreed time of the last start that has been executed since this replica's own, in milliseconds since
     *     1970; 0 before it
     */
    public long lastStartMillis() {
        synchronized (incarnations) {
            return startsMillis.values().stream()
                    .mapToLong(millis -> millis)
                    .max()
                    .orElse(0);
        }
    }

    private void agreeOnTransactionBytes() {
        synchronized (incarnations) {
            // Who has been removed reads nothing back any more; who is to be added counts from then on.
            agreedTransactionBytes = transactionBytes.entrySet().stream()
                    .filter(said ->
                            configuration == null || configuration.servers().containsKey(said.getKey()))
                    .mapToLong(Map.Entry::getValue)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }
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
        return new SessionIds(replica, () -> startMillis(replica, provisional), this::agreedTimeMillis, sessions);
    }

    /**
     * Any thread.
     *
     * @param replica a replica id
     * @param ifUnknown returned if no start of it has been executed here since this replica's own
     * @return the agreed time of its last start, in milliseconds since 1970; different for each start
     */
    private long startMillis(int replica, long ifUnknown) {
        synchronized (incarnations) {
            return startsMillis.getOrDefault(replica, ifUnknown);
        }
    }

    /** @return who votes after the last position; null while the order has not changed the initial membership */
    public Membership membership() {
        return membership;
    }

    /**
     * A position holds a membership. Executor thread.
     *
     * @param changed in force from the next position on
     */
    public void membershipChanged(Membership changed) {
        membership = changed;
    }

    /** @return what the replicas' directories held before there was an order */
    public FormerStates formerStates() {
        return formerStates;
    }

    DigestTally digestTally() {
        return digestTally;
    }

    /** @return position of the newest audit of digests, 0 before the first; may be asked by any thread */
    public long auditPosition() {
        return digestTally.position();
    }

    /** @return the replicated configuration; null until there is a cluster, and while no server takes reconfig */
    public EnsembleConfiguration configuration() {
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

    void planned(EnsemblePlan newPlan) {
        plan = newPlan;
    }

    void dropPlan() {
        plan = null;
    }

    void configured(EnsembleConfiguration changed, long zxidOfChange) {
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
                + incarnations.size() * 12
                + encodedBytes(transactionBytes)
                + encodedBytes(settings)
                + known.length
                + members.length()
                + servers.length
                + planned.length
                + (plan == null ? 0 : PLAN_BYTES)
                + digestTally.encodedBytes()
                + formerStates.encodedBytes()
                + table.length());
        out.putLong(zxid).putLong(agreedTimeMillis);
        out.put((byte) ((clusterId == null ? 0 : FORMED)
                | (transactionBytes.isEmpty() ? 0 : HAS_LIMITS)
                | (settings.isEmpty() ? 0 : HAS_SETTINGS)
                | (schemes.isEmpty() ? 0 : HAS_SCHEMES)));
        out.putLong(clusterId == null ? 0 : clusterId.getMostSignificantBits());
        out.putLong(clusterId == null ? 0 : clusterId.getLeastSignificantBits());
        out.putLong(executionProfile);
        out.putInt(incarnations.size());
        incarnations.forEach((replica, incarnation) -> out.putInt(replica).putLong(incarnation));
        putUnlessEmpty(transactionBytes, out);
        putUnlessEmpty(settings, out);
        out.put(known);
        out.putInt(members.length()).put(members.array(), members.offset(), members.length());
        out.putLong(reconfigZxid).putInt(servers.length).put(servers);
        out.putInt(planned.length).put(planned);
        if (plan != null) {
            out.putInt(plan.proposer()).putLong(plan.incarnation());
            out.putLong(plan.sessionId()).putInt(plan.cxid());
        }
        digestTally.put(out);
        formerStates.put(out);
        out.put(table.array(), table.offset(), table.length());
        return ByteSlice.of(out.array());
    }

    private static int encodedBytes(Map<Integer, Long> numbers) {
        return numbers.isEmpty() ? 0 : Integer.BYTES + numbers.size() * 12;
    }

    private static void putUnlessEmpty(Map<Integer, Long> numbers, ByteBuffer out) {
        if (!numbers.isEmpty()) {
            out.putInt(numbers.size());
            numbers.forEach((replica, number) -> out.putInt(replica).putLong(number));
        }
    }

    private static Map<Integer, Long> numbers(ByteBuffer in) throws MalformedMessageException {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / 12) {
            throw new MalformedMessageException("side state claims " + count + " replicas");
        }
        Map<Integer, Long> numbers = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            numbers.put(in.getInt(), in.getLong());
        }
        return numbers;
    }

    private static byte[] bytes(EnsembleConfiguration servers) {
        return servers == null ? new byte[0] : servers.text().getBytes(StandardCharsets.UTF_8);
    }

    private static EnsembleConfiguration configuration(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] text = new byte[length];
        in.get(text);
        return length == 0 ? null : EnsembleConfiguration.parse(new String(text, StandardCharsets.UTF_8));
    }

    private static EnsemblePlan plan(ByteBuffer in) {
        EnsembleConfiguration planned = configuration(in);
        return planned == null ? null : new EnsemblePlan(in.getInt(), in.getLong(), in.getLong(), in.getInt(), planned);
    }

    /**
     * Reads back what {@link #encode} wrote.
     *
     * @param bytes the state's bytes
     * @return the state
     * @throws MalformedMessageException if they are anything else
     */
    public static SideState decode(ByteSlice bytes) throws MalformedMessageException {
        ByteBuffer in = bytes.asByteBuffer();
        try {
            long zxid = in.getLong();
            long agreedTimeMillis = in.getLong();
            int flags = in.get();
            UUID clusterId = new UUID(in.getLong(), in.getLong());
            long profile = in.getLong();
            Map<Integer, Long> incarnations = numbers(in);
            Map<Integer, Long> limits = (flags & HAS_LIMITS) == 0 ? Map.of() : numbers(in);
            Map<Integer, Long> settings = (flags & HAS_SETTINGS) == 0 ? Map.of() : numbers(in);
            SchemeReports schemes = new SchemeReports();
            if ((flags & HAS_SCHEMES) != 0) {
                schemes.read(in);
            }
            int memberBytes = in.getInt();
            Membership membership =
                    memberBytes == 0 ? null : Membership.decode(bytes.slice(in.position(), memberBytes));
            in.position(in.position() + memberBytes);
            long reconfigZxid = in.getLong();
            EnsembleConfiguration configuration = configuration(in);
            EnsemblePlan plan = plan(in);
            DigestTally tally = DigestTally.get(in);
            FormerStates former = FormerStates.get(in);
            SessionTable table = SessionTable.decode(bytes.slice(in.position(), in.remaining()));
            SideState state = new SideState(table, incarnations, schemes);
            state.zxid = zxid;
            state.membership = membership;
            state.transactionBytes.putAll(limits);
            state.settings.putAll(settings);
            state.configured(configuration, reconfigZxid);
            state.plan = plan;
            state.digestTally = tally;
            state.formerStates = former;
            state.agreedTimeMillis = agreedTimeMillis;
            state.executionProfile = profile;
            state.clusterId = (flags & FORMED) == 0 ? null : clusterId;
            return state;
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MalformedMessageException("side state of " + bytes.length() + " bytes is cut short");
        }
    }
}
