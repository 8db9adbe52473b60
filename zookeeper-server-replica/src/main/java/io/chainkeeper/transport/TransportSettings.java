package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Who this replica is to its peers, where they are, and what bounds their links. Immutable. */
public final class TransportSettings {
    /** A cluster id that is not known yet: a replica that has never been part of an ensemble. */
    public static final long UNKNOWN_CLUSTER = 0;

    /** Largest replica id; the smallest is 1. A replica has fewer peers than that. */
    public static final int MAX_REPLICA_ID = 255;

    /** Bytes of {@link #diskIdentity}. */
    public static final int DISK_IDENTITY_BYTES = 16;

    /** Longest name of a protocol, in bytes of UTF-8. */
    public static final int MAX_PROTOCOL_BYTES = 64;

    private final int replicaId;
    private final String protocol;
    private final SortedMap<Integer, PeerAddress> members;
    private final long executionProfile;
    private final ProfileRule profileRule;
    private final long incarnation;
    private final LongSupplier clusterId;
    private final boolean listenOnAllAddresses;
    private final TransportLimits limits;
    private final PeerTls tls;
    private final PeerAuthentication authentication;
    private final PeerSecret secret;
    private final ByteSlice diskIdentity;
    private final HostResolver resolver;
    private final FeatureRange featureLevels;
    private final Supplier<FeatureLevel> featureLevel;
    private final WireRange wire;
    private final IntUnaryOperator messageKinds;

    private TransportSettings(Builder builder) {
        this.replicaId = builder.replicaId;
        this.protocol = builder.protocol;
        this.members = Collections.unmodifiableSortedMap(new TreeMap<>(builder.members));
        this.executionProfile = builder.executionProfile;
        this.profileRule = builder.profileRule;
        this.incarnation = builder.incarnation;
        this.clusterId = builder.clusterId;
        this.listenOnAllAddresses = builder.listenOnAllAddresses;
        this.limits = builder.limits;
        this.tls = builder.tls;
        this.authentication = builder.authentication;
        this.secret = builder.secret;
        this.diskIdentity = builder.diskIdentity;
        this.resolver = builder.resolver;
        this.featureLevels = builder.featureLevels;
        this.featureLevel = builder.featureLevel;
        this.wire = builder.wire;
        this.messageKinds = builder.messageKinds;
    }

    /**
     * Begins with what has no default.
     *
     * @param replicaId this replica's id, one of the members
     * @param protocol value of {@code ordering.protocol}, 1 to {@value #MAX_PROTOCOL_BYTES} bytes
     * @param members replica id to address, this replica's own included; ids are 1 to {@value #MAX_REPLICA_ID}
     * @return a builder
     */
    public static Builder builder(int replicaId, String protocol, Map<Integer, PeerAddress> members) {
        return new Builder(replicaId, protocol, members);
    }

    /**
     * @param id any number
     * @return whether it can be a replica's
     */
    public static boolean isReplicaId(int id) {
        return id >= 1 && id <= MAX_REPLICA_ID;
    }

    /** @return this replica's id */
    public int replicaId() {
        return replicaId;
    }

    /** @return name of the ordering protocol */
    public String protocol() {
        return protocol;
    }

    /**
     * @return the members at the start, ascending by id; {@link PeerTransport#setPeers} changes them, but not where
     *     this replica listens
     */
    public SortedMap<Integer, PeerAddress> members() {
        return members;
    }

    /** @return hash of the settings that influence execution; {@link #profileRule} says which may differ */
    public long executionProfile() {
        return executionProfile;
    }

    /** @return which profiles of other members go with this replica's */
    public ProfileRule profileRule() {
        return profileRule;
    }

    /** @return number of this start of the replica; a connection of an earlier start never replaces a later one's */
    public long incarnation() {
        return incarnation;
    }

    /** @return id of the cluster that this replica's data belongs to, or {@link #UNKNOWN_CLUSTER} */
    public long clusterId() {
        return clusterId.getAsLong();
    }

    /** @return whether to listen on every local address instead of the own member address only */
    public boolean listenOnAllAddresses() {
        return listenOnAllAddresses;
    }

    /** @return the bounds */
    public TransportLimits limits() {
        return limits;
    }

    /** @return TLS, or null for plain connections */
    public PeerTls tls() {
        return tls;
    }

    /** @return SASL, or null for connections without */
    public PeerAuthentication authentication() {
        return authentication;
    }

    /** @return the shared secret, or null for connections without */
    public PeerSecret secret() {
        return secret;
    }

    /** @return random bytes that only the directory of this replica holds; told to peers that it connects to */
    public ByteSlice diskIdentity() {
        return diskIdentity;
    }

    /** @return whether anybody who reaches the port can claim to be a member */
    public boolean admitsUnauthenticated() {
        boolean byTls = tls != null && !tls.admitsPlain();
        boolean bySasl = authentication != null && authentication.demands();
        return !byTls && !bySasl && (secret == null || !secret.isRequired());
    }

    /** @return whether a peer that this replica connects to has to show that it is a member */
    public boolean demandsProofOfDialed() {
        boolean byTls = tls != null && tls.dials();
        boolean bySasl = authentication != null && authentication.dials();
        return byTls || bySasl || secret != null && secret.isRequired();
    }

    /** @return how names are looked up */
    public HostResolver resolver() {
        return resolver;
    }

    /** @return the feature levels that this replica knows */
    public FeatureRange featureLevels() {
        return featureLevels;
    }

    /** @return the feature level in force, {@link FeatureLevel#NONE} as long as it is not known */
    public FeatureLevel featureLevel() {
        return featureLevel.get();
    }

    /** @return the versions of frames that this replica speaks */
    public WireRange wire() {
        return wire;
    }

    /**
     * @param kind first byte of a frame
     * @param version of a link
     * @return whether there are such frames on such a link
     */
    public boolean isMessageKind(int kind, int version) {
        int since = messageKinds.applyAsInt(kind);
        return since != WireRange.NONE && since <= version;
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {
        private final int replicaId;
        private final String protocol;
        private final Map<Integer, PeerAddress> members;
        private long executionProfile;
        private ProfileRule profileRule = ProfileRule.EQUAL;
        private long incarnation;
        private LongSupplier clusterId = () -> UNKNOWN_CLUSTER;
        private boolean listenOnAllAddresses;
        private TransportLimits limits = TransportLimits.DEFAULT;
        private PeerTls tls;
        private PeerAuthentication authentication;
        private PeerSecret secret;
        private ByteSlice diskIdentity = ByteSlice.of(new byte[DISK_IDENTITY_BYTES]);
        private HostResolver resolver = HostResolver.PLATFORM;
        private FeatureRange featureLevels = Release.levels();
        private Supplier<FeatureLevel> featureLevel = () -> FeatureLevel.NONE;
        private WireRange wire = WireRange.OWN;
        private IntUnaryOperator messageKinds = kind -> WireRange.OWN.oldest();

        private Builder(int replicaId, String protocol, Map<Integer, PeerAddress> members) {
            this.replicaId = replicaId;
            this.protocol = Objects.requireNonNull(protocol);
            this.members = Map.copyOf(members);
        }

        /**
         * @param hash of the settings that influence execution; default 0
         * @return this
         */
        public Builder executionProfile(long hash) {
            this.executionProfile = hash;
            return this;
        }

        /**
         * @param rule for the profiles of others; default: they must be equal
         * @return this
         */
        public Builder profileRule(ProfileRule rule) {
            this.profileRule = rule;
            return this;
        }

        /**
         * @param number of this start, larger than that of every earlier start; default 0
         * @return this
         */
        public Builder incarnation(long number) {
            this.incarnation = number;
            return this;
        }

        /**
         * @param source asked at every handshake by an I/O thread; {@link #UNKNOWN_CLUSTER} as long as it is not
         *     known, the default
         * @return this
         */
        public Builder clusterId(LongSupplier source) {
            this.clusterId = Objects.requireNonNull(source);
            return this;
        }

        /**
         * @param all {@code quorumListenOnAllIPs}; default false
         * @return this
         */
        public Builder listenOnAllAddresses(boolean all) {
            this.listenOnAllAddresses = all;
            return this;
        }

        /**
         * @param bounds instead of {@link TransportLimits#DEFAULT}
         * @return this
         */
        public Builder limits(TransportLimits bounds) {
            this.limits = Objects.requireNonNull(bounds);
            return this;
        }

        /**
         * @param source of TLS engines, or null for plain connections, the default
         * @return this
         */
        public Builder tls(PeerTls source) {
            this.tls = source;
            return this;
        }

        /**
         * @param source of SASL, or null for connections without, the default
         * @return this
         */
        public Builder authentication(PeerAuthentication source) {
            this.authentication = source;
            return this;
        }

        /**
         * @param source of the shared secret, or null for connections without, the default
         * @return this
         */
        public Builder secret(PeerSecret source) {
            this.secret = source;
            return this;
        }

        /**
         * @param identity {@value TransportSettings#DISK_IDENTITY_BYTES} random bytes that the directory of this
         *     replica keeps; default 0
         * @return this
         */
        public Builder diskIdentity(ByteSlice identity) {
            InvariantViolated.check(
                    identity.length() == DISK_IDENTITY_BYTES, "a disk's identity of %d bytes", identity.length());
            this.diskIdentity = identity;
            return this;
        }

        /**
         * @param source of addresses instead of {@link HostResolver#PLATFORM}
         * @return this
         */
        public Builder resolver(HostResolver source) {
            this.resolver = Objects.requireNonNull(source);
            return this;
        }

        /**
         * @param known the feature levels that this replica knows; default those of this release
         * @param inForce asked at every handshake by an I/O thread for the level in force; {@link FeatureLevel#NONE} as
         *     long as it is not known, the default
         * @return this
         */
        public Builder featureLevels(FeatureRange known, Supplier<FeatureLevel> inForce) {
            this.featureLevels = Objects.requireNonNull(known);
            this.featureLevel = Objects.requireNonNull(inForce);
            return this;
        }

        /**
         * @param versions of frames that this replica speaks; default those of this release
         * @return this
         */
        public Builder wire(WireRange versions) {
            this.wire = Objects.requireNonNull(versions);
            return this;
        }

        /**
         * @param since for the first byte of a frame, the version of the replica protocol that brought such frames,
         *     {@link WireRange#NONE} if there are none; default: all are there always
         * @return this
         */
        public Builder messageKinds(IntUnaryOperator since) {
            this.messageKinds = Objects.requireNonNull(since);
            return this;
        }

        /**
         * Checks and freezes the settings.
         *
         * @return the settings
         * @throws IllegalArgumentException if the replica is not among the members, an id is out of range or the
         *     protocol's name is too long
         */
        public TransportSettings build() {
            if (!members.containsKey(replicaId)) {
                throw new IllegalArgumentException("replica " + replicaId + " is not among the members "
                        + new TreeMap<>(members).keySet() + ": add its server." + replicaId + " line");
            }
            for (int id : members.keySet()) {
                if (!isReplicaId(id)) {
                    throw new IllegalArgumentException("a replica's id is " + id + " but must be 1 to " + MAX_REPLICA_ID
                            + ": correct its server." + id + " line");
                }
            }
            int protocolBytes = protocol.getBytes(StandardCharsets.UTF_8).length;
            if (protocolBytes < 1 || protocolBytes > MAX_PROTOCOL_BYTES) {
                throw new IllegalArgumentException("the name of ordering.protocol has " + protocolBytes
                        + " bytes but must have 1 to " + MAX_PROTOCOL_BYTES);
            }
            return new TransportSettings(this);
        }
    }
}
